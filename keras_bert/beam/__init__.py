"""The same jobs on Apache Beam."""
