"""Reading and writing of checkpoint directories."""

from .elmo import Elmo as Elmo
from .elmo import read_elmo as read_elmo
from .errors import CheckpointError as CheckpointError
from .pretrained import from_pretrained as from_pretrained
from .pretrained import save_pretrained as save_pretrained
from .pretrained_model import PretrainedModel as PretrainedModel
