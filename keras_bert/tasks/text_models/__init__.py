"""Keras models with a tokenizer inside, for `.keras` files."""
