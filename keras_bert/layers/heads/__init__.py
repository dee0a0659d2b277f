"""Layers that compute outputs from hidden states."""
