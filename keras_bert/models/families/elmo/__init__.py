"""ELMo: a bidirectional LSTM language model with a character CNN."""
