"""The HTTP interface: authentication, problems, schemas, routes."""
