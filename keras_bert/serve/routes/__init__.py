"""Routes of a server, each in the form of its reference."""
