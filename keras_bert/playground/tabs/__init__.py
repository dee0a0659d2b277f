"""One file a tab: what a model makes of plain strings and numbers."""
