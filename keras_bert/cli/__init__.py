"""Flags, printing and reports of the programs."""
