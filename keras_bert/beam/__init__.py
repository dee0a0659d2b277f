"""Apache Beam pipelines for pre-training data and predictions."""

from keras_bert import lazy

lazy.import_package("apache_beam", "A Beam pipeline")
