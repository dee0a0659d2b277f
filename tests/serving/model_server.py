"""Stand-in for TensorFlow Serving with real SavedModels."""

import base64
import concurrent.futures
import contextlib
import http.server
import json
import re
import socketserver
import threading
import time

import grpc
import numpy as np
import tensorflow as tf
from google.protobuf import json_format
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow_serving.apis import predict_pb2
from tensorflow_serving.apis import prediction_service_pb2_grpc

_PATH = re.compile(r"/v1/models/([^/:]+)(?:/\w+/\w+)?(:predict|/metadata)")
# Faulty responses: the status, the body and the announced length.
_FAULTS = {
    "unavailable": (503, b'{"error": "The batch queue is full"}', None),
    "page": (404, b"<html>\n\x1b[31mNothing\nhere", None),
    "no_json": (200, b'{"outputs": ', None),
    "truncated": (200, b'{"outputs": ', 1000),
}


class Refused(Exception):
    """Error status of TensorFlow Serving: a code and a message."""


class ServedModel:
    """SavedModel that the server has loaded."""

    def __init__(self, directory):
        self._model = tf.saved_model.load(str(directory))
        (graph_def,) = saved_model_pb2.SavedModel.FromString(
            (directory / "saved_model.pb").read_bytes()
        ).meta_graphs
        self.signatures = graph_def.signature_def

    def run(self, name, arrays):
        """Return the outputs, arrays by name."""
        signature = self.signatures[name]
        tensors = {
            key: tf.constant(x, signature.inputs[key].dtype)
            for key, x in arrays.items()
        }
        outputs = self._model.signatures[name](**tensors)
        return {key: tensor.numpy() for key, tensor in outputs.items()}

    def predict(self, request):
        """Return the response to a request in columns."""
        called = request.get("signature_name", "serving_default")
        if called not in self.signatures:
            message = f'"{called}" not found in signature def'
            raise Refused(400, f"Serving signature name: {message}")
        inputs, columns = self.signatures[called].inputs, request["inputs"]
        for name in inputs:
            if name not in columns:
                message = f"Missing named input: {name} in 'inputs' object."
                raise Refused(400, message)
        arrays = {n: _array(columns[n], x) for n, x in inputs.items()}
        outputs = {
            name: _plain(array.tolist())
            for name, array in self.run(called, arrays).items()
        }
        # The server omits the name of a single output.
        (only, *others) = outputs.values()
        return {"outputs": outputs if others else only}

    def metadata(self):
        from tensorflow_serving.apis import get_model_metadata_pb2

        values = json_format.MessageToDict(
            get_model_metadata_pb2.SignatureDefMap(
                signature_def=self.signatures
            ),
            preserving_proto_field_name=True,
            always_print_fields_with_no_presence=True,
        )
        return {"metadata": {"signature_def": values}}


def _array(value, info):
    """Convert JSON to an array, or raise the error of the server."""
    dtype = tf.as_dtype(info.dtype)

    def leaf(value):
        if isinstance(value, list):
            return [leaf(item) for item in value]
        if dtype == tf.string and isinstance(value, dict):
            return base64.b64decode(value["b64"])
        if dtype == tf.string and isinstance(value, str):
            return value.encode()
        if dtype == tf.int32 and isinstance(value, int):
            return value
        message = f"JSON Value: {json.dumps(value)} is not of expected type"
        raise Refused(400, message)

    kind = object if dtype == tf.string else dtype.as_numpy_dtype
    return np.array(leaf(value), dtype=kind)


def _plain(values):
    if isinstance(values, list):
        return [_plain(value) for value in values]
    is_bytes = isinstance(values, bytes)
    return values.decode("utf-8", "surrogateescape") if is_bytes else values


class RestHandler(http.server.BaseHTTPRequestHandler):
    """REST interface."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._answer(None)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self._answer(self.rfile.read(length))

    def log_message(self, *args):
        pass

    def _answer(self, body):
        server = self.server
        server.requests.append((self.path, body))
        fault = server.faults.pop(0) if server.faults else None
        if fault == "slow":
            time.sleep(0.6)
        if fault == "dropped":
            self.close_connection = True
        elif fault in _FAULTS:
            self.close_connection = fault == "truncated"
            self._send(*_FAULTS[fault])
        else:
            try:
                code, answer = 200, self._whole_answer(body)
            except Refused as error:
                code, answer = error.args[0], {"error": error.args[1]}
            text = json.dumps(answer, ensure_ascii=False, indent=1)
            self._send(code, text.encode("utf-8", "surrogateescape"))

    def _whole_answer(self, body):
        name, action = _PATH.fullmatch(self.path).groups()
        if name not in self.server.models:
            raise Refused(404, f"Servable not found for request: {name}")
        model = self.server.models[name]
        if action == ":predict":
            return model.predict(json.loads(body))
        return model.metadata()

    def _send(self, code, data, length=None):
        self.send_response(code)
        self.send_header("Content-Length", str(length or len(data)))
        self.end_headers()
        self.wfile.write(data)


class RestServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Server of the standard library that ignores disconnected clients.

    Attributes:
        models: dict of `ServedModel` by name.
        faults: list of str, the faults of the next responses.
        requests: list of the received requests.
    """

    daemon_threads = True

    def __init__(self, models):
        super().__init__(("127.0.0.1", 0), RestHandler)
        self.models = models
        self.faults = []
        self.requests = []

    def handle_error(self, request, client_address):
        pass


@contextlib.contextmanager
def rest_server(models):
    """Run the server and yield it."""
    with RestServer(models) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def grpc_server(models):
    """Run a gRPC server with models by name, and yield its port."""

    class Servicer(prediction_service_pb2_grpc.PredictionServiceServicer):
        def Predict(self, request, context):
            arrays = {n: tf.make_ndarray(t) for n, t in request.inputs.items()}
            model = models[request.model_spec.name]
            answer = predict_pb2.PredictResponse()
            for name, array in model.run("serving_default", arrays).items():
                tensor = tf.make_tensor_proto(array)
                answer.outputs[name].CopyFrom(tensor)
            return answer

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        server = grpc.server(pool)
        prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(
            Servicer(), server
        )
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        yield port
        server.stop(None).wait()
