"""Apache Beam pipeline that creates pre-training records."""
