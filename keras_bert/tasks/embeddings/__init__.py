"""What makes vectors of texts, and what they are trained and judged by."""
