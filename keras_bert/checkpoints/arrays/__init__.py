"""Safe readers for files of named arrays."""
