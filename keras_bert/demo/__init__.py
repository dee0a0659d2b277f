"""Text for those who brought none: the documentation on this machine."""
