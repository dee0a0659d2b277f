"""What all tasks that learn from examples share."""
