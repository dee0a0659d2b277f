"""Outputs of tasks: losses, metrics and predictions."""
