"""Reading and writing of checkpoint directories."""

from .elmo import Elmo as Elmo
from .elmo import read_elmo as read_elmo
from .errors import CheckpointError as CheckpointError
from .formats.peft import load_adapter as load_adapter
from .formats.peft import save_adapter as save_adapter
from .pretrained import from_pretrained as from_pretrained
from .pretrained import save_pretrained as save_pretrained
from .pretrained_model import PretrainedModel as PretrainedModel
