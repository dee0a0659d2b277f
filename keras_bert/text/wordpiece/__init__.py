"""Cutting texts into word pieces."""
