"""Pre-training job that turns record files into a checkpoint directory.

`plan_pretraining` runs all checks that do not need TensorFlow; `run_plan`
trains the model.
"""

from keras_bert import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, __file__)
