"""Texts before they are cut, by tables of Unicode."""
