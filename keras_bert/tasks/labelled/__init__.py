"""Readers for tables, GLUE, CoNLL, SQuAD, SWAG and TFDS."""
