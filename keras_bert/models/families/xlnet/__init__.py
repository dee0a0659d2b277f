"""XLNet: permutation language modeling with two streams."""
