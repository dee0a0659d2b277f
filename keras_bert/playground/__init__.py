"""Web page that visualizes a model in the browser."""
