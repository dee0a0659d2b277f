"""Official metrics, and files for official servers."""
