"""Asking a TensorFlow Serving server."""

from .client import answered_rows as answered_rows
from .errors import ServerError as ServerError
from .grpc_client import GrpcClient as GrpcClient
from .rest_client import RestClient as RestClient
