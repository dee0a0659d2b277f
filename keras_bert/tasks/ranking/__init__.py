"""Inputs, outputs and files of `PairRanker`."""
