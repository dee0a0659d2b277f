"""A corpus to arrays of examples."""
