"""Every call inside one deadline: a request's budget, and what holds its dependencies to it.

The room knows nothing of the service around it; see README.md beside this file.
"""
