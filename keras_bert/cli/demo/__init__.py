"""The demo: from the documentation on this machine to a served BERT."""
