"""Feature-based training on cached hidden states of a frozen encoder."""
