"""Apache Beam pipeline for batch prediction with a SavedModel."""
