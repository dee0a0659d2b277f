"""BERT for TensorFlow and Keras 3 (arXiv 1810.04805)."""

from . import checkpoints as checkpoints
from . import export as export
from . import features as features
from . import layers as layers
from . import losses as losses
from . import models as models
from . import optimizers as optimizers
from . import pretraining as pretraining
from . import serving as serving
from . import tasks as tasks
from . import text as text
from .checkpoints import CheckpointError as CheckpointError
from .checkpoints import from_pretrained as from_pretrained
from .checkpoints import save_pretrained as save_pretrained
from .config import BertConfig as BertConfig
from .locations import CONFIGS as CONFIGS
from .locations import TINY_MODEL as TINY_MODEL
from .tasks import Ensemble as Ensemble
from .tasks import FewShotClassifier as FewShotClassifier
from .tasks import FillMask as FillMask
from .tasks import LateInteractionEmbedder as LateInteractionEmbedder
from .tasks import MultipleChoice as MultipleChoice
from .tasks import PairRanker as PairRanker
from .tasks import QuestionAnswerer as QuestionAnswerer
from .tasks import SparseEmbedder as SparseEmbedder
from .tasks import TextClassifier as TextClassifier
from .tasks import TextEmbedder as TextEmbedder
from .tasks import TextGenerator as TextGenerator
from .tasks import TextRegressor as TextRegressor
from .tasks import TokenClassifier as TokenClassifier
from .tasks import ZeroShotClassifier as ZeroShotClassifier

__version__: str
