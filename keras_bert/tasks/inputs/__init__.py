"""Inputs of tasks: texts to rows of tokens."""
