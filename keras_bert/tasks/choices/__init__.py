"""Questions of several choices, as a model takes them."""
