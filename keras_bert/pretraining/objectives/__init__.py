"""Pre-training objectives, with one file per objective."""
