"""Pre-training as one job: from record files to a checkpoint directory.

`plan_pretraining` checks all that can be checked without TensorFlow, which
takes next to no time; `run_plan` does the work.
"""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
