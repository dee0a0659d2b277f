"""The training loop, its state and the strategies it runs under."""
