"""Flags of the data tools."""
