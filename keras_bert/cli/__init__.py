"""Command line programs: flags, console output and reports."""
