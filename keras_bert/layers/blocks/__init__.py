"""Blocks of an encoder and their feed-forward layers."""
