"""Flags, console output and reports of the command line programs."""
