"""The study page: a server on loopback and the page it serves. `docs/web-api.md` has the routes."""
