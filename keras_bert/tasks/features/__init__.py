"""The feature-based way: a frozen encoder's states, stored once, to a head."""
