"""`tf.data` pipelines from record files to training batches."""
