"""Pre-training objectives, one file each."""
