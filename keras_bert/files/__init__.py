"""Files: patterns, rows of tables, atomic outputs and manifests."""
