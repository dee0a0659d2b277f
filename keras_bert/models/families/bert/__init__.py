"""BERT, wired from layers."""
