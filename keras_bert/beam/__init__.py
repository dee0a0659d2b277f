"""Apache Beam pipelines for pre-training data and predictions."""
