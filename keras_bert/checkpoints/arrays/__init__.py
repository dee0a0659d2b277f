"""Files of named arrays, read safely."""
