"""ELMo: two language models of LSTMs, over the characters of words."""
