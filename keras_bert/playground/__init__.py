"""A page that shows what a model does, in a browser."""
