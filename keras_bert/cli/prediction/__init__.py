"""Answers to whole files, by any task that takes texts."""
