"""Pre-training as one job: from record files to a checkpoint directory."""

from .job import run_plan as run_plan
from .plan import plan_pretraining as plan_pretraining
from .recipe import PretrainingRecipe as PretrainingRecipe
