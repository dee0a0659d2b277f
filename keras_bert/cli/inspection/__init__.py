"""Contents of record files: numbers over all records, and a few shown."""
