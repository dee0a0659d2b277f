"""Asking a TensorFlow Serving server.

Neither Keras is needed for it nor, by REST, TensorFlow.
"""

from keras_bert import lazy

_MEMBERS = {
    "GrpcClient": "grpc_client",
    "RestClient": "rest_client",
    "ServerError": "errors",
    "answered_rows": "client",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)
