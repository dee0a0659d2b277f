"""Feature-based approach: train a head on cached states of a frozen encoder."""
