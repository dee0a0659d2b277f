"""Readers of labelled data: tables, GLUE, CoNLL, SQuAD, SWAG, TFDS."""
