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

import numpy as np
import tensorflow as tf
from google.protobuf import json_format
from tensorflow.core.protobuf import saved_model_pb2

_PATH = re.compile(
    r"/v1/models/([^/:]+)(?:/versions/(\d+)|/labels/([^/:]+))?"
    r"(:predict|/metadata)"
)
_CODES = {"INVALID_ARGUMENT": 400, "NOT_FOUND": 404}


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

    def signature(self, name):
        if name not in self.signatures:
            raise Refused(
                "INVALID_ARGUMENT",
                f'Serving signature name: "{name}" not found in signature def',
            )
        return self.signatures[name]

    def run(self, name, arrays):
        """Return the outputs, arrays by name."""
        signature = self.signatures[name]
        tensors = {
            key: tf.constant(x, signature.inputs[key].dtype)
            for key, x in arrays.items()
        }
        try:
            outputs = self._model.signatures[name](**tensors)
        except tf.errors.OpError as error:
            raise Refused("INVALID_ARGUMENT", error.message) from None
        return {key: tensor.numpy() for key, tensor in outputs.items()}


class ModelServer:
    """Models with versions 1 and 2; the label of version 2 is "canary".

    Attributes:
        faults: list of str, the faults of the next responses.
        requests: list of the received requests.
    """

    def __init__(self, directories):
        self.models = {n: ServedModel(d) for n, d in directories.items()}
        self.faults = []
        self.requests = []

    def model(self, name, version=None, label=None):
        if name not in self.models or version not in (None, 1, 2):
            which = f"Latest({name})" if version is None else f"{version}"
            raise Refused(
                "NOT_FOUND", f"Servable not found for request: {which}"
            )
        if label not in (None, "canary"):
            raise Refused(
                "INVALID_ARGUMENT",
                f"Unrecognized servable version label: {label}",
            )
        return self.models[name]


def _metadata(model):
    from tensorflow_serving.apis import get_model_metadata_pb2

    return get_model_metadata_pb2.SignatureDefMap(
        signature_def=model.signatures
    )


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
        raise Refused(
            "INVALID_ARGUMENT",
            f"JSON Value: {json.dumps(value)} is not of expected type: "
            f"{dtype.name}",
        )

    kind = object if dtype == tf.string else dtype.as_numpy_dtype
    return np.array(leaf(value), dtype=kind)


def _predicted(model, request):
    """Return the response to a request in columns."""
    called = request.get("signature_name", "serving_default")
    signature, columns = model.signature(called), request["inputs"]
    for name in signature.inputs:
        if name not in columns:
            raise Refused(
                "INVALID_ARGUMENT",
                f"Missing named input: {name} in 'inputs' object.",
            )
    arrays = {n: _array(columns[n], x) for n, x in signature.inputs.items()}
    outputs = {
        name: _plain(array.tolist())
        for name, array in model.run(called, arrays).items()
    }
    # The server omits the name of a single output.
    (only, *others) = outputs.values()
    return {"outputs": outputs if others else only}


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
        server = self.server.models
        server.requests.append((self.path, body))
        fault = server.faults.pop(0) if server.faults else None
        if fault:
            return getattr(self, f"_{fault}")()
        try:
            code, answer = 200, self._whole_answer(body)
        except Refused as error:
            code, answer = _CODES[error.args[0]], {"error": error.args[1]}
        text = json.dumps(answer, ensure_ascii=False, indent=1)
        self._send(code, text.encode("utf-8", "surrogateescape"))

    def _whole_answer(self, body):
        name, version, label, action = _PATH.fullmatch(self.path).groups()
        version = version and int(version)
        model = self.server.models.model(name, version, label)
        if action == ":predict":
            return _predicted(model, json.loads(body))
        values = json_format.MessageToDict(
            _metadata(model),
            preserving_proto_field_name=True,
            always_print_fields_with_no_presence=True,
        )
        return {"model_spec": {"name": name}, "metadata": {_METADATA: values}}

    def _send(self, code, data, length=None, kind="application/json"):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _unavailable(self):
        self._send(503, b'{"error": "The batch scheduling queue is full"}')

    def _slow(self):
        time.sleep(0.6)
        self._send(200, b"{}")

    def _page(self):
        self._send(404, b"<html>\n\x1b[31mNothing\nhere", kind="text/html")

    def _no_json(self):
        self._send(200, b'{"outputs": ')

    def _truncated(self):
        self._send(200, b'{"outputs": ', length=1000)
        self.close_connection = True

    def _dropped(self):
        self.close_connection = True


_METADATA = "signature_def"


class RestServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Server of the standard library that ignores disconnected clients."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


@contextlib.contextmanager
def rest_server(model_server):
    """Run the server and yield its port."""
    with RestServer(("127.0.0.1", 0), RestHandler) as server:
        server.models = model_server
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def grpc_server(model_server):
    """Run the server and yield its port."""
    import grpc
    from tensorflow_serving.apis import predict_pb2
    from tensorflow_serving.apis import prediction_service_pb2_grpc as service

    class Servicer(service.PredictionServiceServicer):
        def Predict(self, request, context):
            model = model_server.model(request.model_spec.name)
            arrays = {n: tf.make_ndarray(t) for n, t in request.inputs.items()}
            answer = predict_pb2.PredictResponse()
            for name, array in model.run("serving_default", arrays).items():
                tensor = tf.make_tensor_proto(array)
                answer.outputs[name].CopyFrom(tensor)
            return answer

    pool = concurrent.futures.ThreadPoolExecutor(2)
    server = grpc.server(pool)
    service.add_PredictionServiceServicer_to_server(Servicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield port
    server.stop(None).wait()
    pool.shutdown()
