"""BERT and related encoders as functional Keras models."""

from . import family as family
from .backbone import Backbone as Backbone
from .families.bert.model import add_pretraining_heads as add_pretraining_heads
from .families.bert.model import bert_encoder as bert_encoder
from .families.bert.model import bert_pretrainer as bert_pretrainer
from .families.elmo.model import ElmoBackbone as ElmoBackbone
from .families.elmo.model import ElmoOptions as ElmoOptions
from .family import Family as Family
from .family import encoder as encoder
from .family import pretrainer as pretrainer
from .heads import add_heads as add_heads
from .long_models import make_long as make_long
from .task_model import HeadKind as HeadKind
from .task_model import add_task_head as add_task_head
from .task_model import over_choices as over_choices
