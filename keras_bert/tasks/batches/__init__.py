"""Batches of labelled examples for fine-tuning."""
