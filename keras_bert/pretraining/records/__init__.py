"""Creation and validation of records: masked examples in TFRecord files."""
