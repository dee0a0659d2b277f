"""The parts that all tasks share that learn from examples."""
