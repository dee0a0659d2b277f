"""Answers of a SavedModel to more texts than one machine takes, by Beam."""
