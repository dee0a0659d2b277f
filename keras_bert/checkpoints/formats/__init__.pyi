"""One file per format of checkpoint directories."""

from .google import open_google as open_google
from .google import write_tf1 as write_tf1
from .hugging_face import open_hugging_face as open_hugging_face
from .hugging_face import write_hugging_face as write_hugging_face
from .own import open_own as open_own
from .own import open_states as open_states
from .own import write_own as write_own
