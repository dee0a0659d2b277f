"""Pre-training as one job: from record files to a checkpoint directory.

`plan_pretraining` checks all that can be checked without TensorFlow, which
takes next to no time; `run_plan` does the work.
"""

from keras_bert import lazy

_MEMBERS = {
    "PretrainingRecipe": "recipe",
    "plan_pretraining": "plan",
    "run_plan": "job",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
