"""TensorFlow Serving by gRPC, with its own protocol messages."""

import http.client

import numpy as np

from keras_bert.serving.client import MOST_BYTES
from keras_bert.serving.client import Client
from keras_bert.serving.errors import ServerError
from keras_bert.serving.errors import Unavailable
from keras_bert.serving.errors import shown
from keras_bert.serving.signature import STRING
from keras_bert.serving.signature import Signature
from keras_bert.serving.signature import TensorForm
from keras_bert.serving.strings import from_bytes
from keras_bert.serving.strings import to_bytes

try:
    import grpc
    import tensorflow as tf
    from tensorflow_serving.apis import get_model_metadata_pb2
    from tensorflow_serving.apis import predict_pb2
    from tensorflow_serving.apis import prediction_service_pb2_grpc
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"Asking by gRPC needs the package {error.name}, which is not "
        "installed here. Try: pip install 'keras-bert-tf[serving]', or ask by "
        "REST.",
        name=error.name,
    ) from None

_OPTIONS = (
    ("grpc.max_receive_message_length", MOST_BYTES),
    ("grpc.max_send_message_length", MOST_BYTES),
    ("grpc.enable_http_proxy", 0),  # As by REST.
)
_METADATA = "signature_def"
_HINT = "Its gRPC port is mostly 8500, that of REST 8501"
_PROBE_S = 2.0


class GrpcClient(Client):
    """Asks a model of a TensorFlow Serving server by gRPC.

    It needs the extra `serving`.

    Args:
        model_name: str, the name of the model on the server.
        host: str, a name or an address.
        port: int, 8500 by default.
        version: int, version of the model; by default the newest one.
        version_label: str, the label of a version instead.
        timeout_s: float, seconds to wait for one answer.

    Example:

    >>> client = keras_bert.serving.GrpcClient("scores")
    >>> client.predict({"text": ["a fine film"]})["score"]
    [4.5]
    """

    default_port = 8500

    def read_signatures(self):
        request = get_model_metadata_pb2.GetModelMetadataRequest(
            metadata_field=[_METADATA]
        )
        answer = self._answer("GetModelMetadata", request)
        found = get_model_metadata_pb2.SignatureDefMap()
        if not answer.metadata[_METADATA].Unpack(found):
            raise self._stranger("no signatures")
        return {
            name: Signature(
                name,
                {key: _form(info) for key, info in values.inputs.items()},
                tuple(sorted(values.outputs)),
            )
            for name, values in found.signature_def.items()
            if not name.startswith("__")
        }

    def ask(self, signature, inputs):
        """Ask a `Signature` once.

        :meta private:
        """
        request = predict_pb2.PredictRequest()
        request.model_spec.signature_name = signature.name
        for name, values in inputs.items():
            tensor = _tensor(name, values, signature.inputs[name])
            request.inputs[name].CopyFrom(tensor)
        answer = self._answer("Predict", request)
        return {
            name: _values(tf.make_ndarray(tensor).tolist())
            for name, tensor in answer.outputs.items()
        }

    def _answer(self, method, request):
        request.model_spec.name = self.model_name
        if self.version is not None:
            request.model_spec.version.value = self.version
        if self.version_label is not None:
            request.model_spec.version_label = self.version_label
        host = f"[{self.host}]" if ":" in self.host else self.host
        with grpc.insecure_channel(f"{host}:{self.port}", _OPTIONS) as channel:
            stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
            try:
                return getattr(stub, method)(request, timeout=self.timeout_s)
            except grpc.RpcError as error:
                raise self._failure(error.code(), error.details()) from None

    def _failure(self, code, details):
        """Says in our words what has become of a call."""
        details = shown(details or "")
        if code is grpc.StatusCode.UNAVAILABLE and self._speaks_rest():
            return ServerError(
                f"{self.place} speaks REST, not gRPC. Use RestClient "
                "(protocol='rest'), or the gRPC port, usually 8500."
            )
        if code is grpc.StatusCode.UNAVAILABLE:
            return Unavailable(
                f"No server answers at {self.place}: {details}. {_HINT}."
            )
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            return ServerError(
                f"{self.place} must answer within {self.timeout_s:g} s. "
                "Received: no whole answer."
            )
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return self._stranger(details)
        return ServerError(
            f"{self.place} refuses to answer for the model "
            f"{self.model_name!r}: {details}"
        )

    def _speaks_rest(self):
        connection = http.client.HTTPConnection(
            self.host, self.port, timeout=min(_PROBE_S, self.timeout_s)
        )
        try:
            connection.request("GET", "/v1/models/any/metadata")
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        return True

    def _stranger(self, received):
        return ServerError(
            f"{self.place} must be the gRPC port of TensorFlow Serving. "
            f"{_HINT}. Received: {received}."
        )


def _form(info):
    shape = info.tensor_shape
    rank = None if shape.unknown_rank else len(shape.dim)
    return TensorForm(tf.as_dtype(info.dtype).name, rank)


def _tensor(name, values, form):
    """Makes a `TensorProto` of lists."""
    dtype = tf.as_dtype(form.dtype)
    try:
        if form.dtype == STRING:
            array = np.array(_bytes(values), dtype=object)
        else:
            array = np.array(values, dtype=dtype.as_numpy_dtype)
    except OverflowError:
        raise ValueError(
            f"{name!r} must be numbers of the type {form.dtype}. Received: a "
            "greater one."
        ) from None
    # Of no rows an array does not know the rank.
    shape = array.shape + (0,) * ((form.rank or 1) - array.ndim)
    return tf.make_tensor_proto(array.reshape(shape), dtype, shape)


def _bytes(values):
    return [_bytes(x) if isinstance(x, list) else to_bytes(x) for x in values]


def _values(values):
    if isinstance(values, list):
        return [_values(value) for value in values]
    return from_bytes(values) if isinstance(values, bytes) else values
