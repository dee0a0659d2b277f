"""ELECTRA, wired from layers: BERT that finds replaced tokens."""
