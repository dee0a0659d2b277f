"""Training loop, training states and distribution strategies."""
