"""The console: what the API does, as pages for people, made on the server."""
