"""Safe readers for files with named arrays."""
