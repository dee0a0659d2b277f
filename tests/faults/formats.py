"""Table of the formats that are tested with damaged inputs.

The library writes a directory of each format. One file of the directory is the
input, and a reader reads the file or the directory.
"""

import asyncio
import functools
import gzip
import json
import pathlib
import shutil
import typing

import keras_bert
from keras_bert import checkpoints
from keras_bert import save_pretrained
from keras_bert import tasks
from keras_bert.checkpoints import elmo
from keras_bert.checkpoints import pretrained
from keras_bert.checkpoints.arrays import safetensors_file
from keras_bert.checkpoints.arrays import sharded_file
from keras_bert.checkpoints.arrays import tensorflow_file
from keras_bert.checkpoints.arrays import torch_file
from keras_bert.checkpoints.formats import hugging_face
from keras_bert.checkpoints.formats import own
from keras_bert.checkpoints.formats import peft
from keras_bert.checkpoints.loading import plan_loading
from keras_bert.checkpoints.tokenizer import read_tokenizer
from keras_bert.checkpoints.training_state import restore_state
from keras_bert.cli.prediction.input_files import open_input_file
from keras_bert.files.rows import read_dicts
from keras_bert.files.tfrecord import framed_records
from keras_bert.layers.flat_dense import dense_layers
from keras_bert.models.families.elmo.model import ElmoOptions
from keras_bert.pretraining import open_sources
from keras_bert.pretraining.corpus.sources import source_documents
from keras_bert.pretraining.job.record_facts import read_record_facts
from keras_bert.pretraining.job.run_record import check_run
from keras_bert.pretraining.records import first_record
from keras_bert.pretraining.records.validation import read_checked_records
from keras_bert.serve import make_app
from keras_bert.serve.models import load_model
from keras_bert.tasks.embeddings import late_interaction_saving
from keras_bert.tasks.embeddings import saving
from keras_bert.tasks.embeddings import sparse_saving
from keras_bert.text import Vocabulary
from keras_bert.text.casing import casing_from_files
from keras_bert.text.host_tokenizer import HostTokenizer
from tests import conftest
from tests import tiny
from tests.golden import make_elmo_golden

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden"


class Format(typing.NamedTuple):
    """Format of an input.

    Args:
        file: path of the input in its directory. Its suffix determines how the
            input is mutated.
        make: function that writes a valid directory (`pathlib.Path`).
        read: function that takes the directory and the path of the input.
        seeds: more valid inputs (bytes).
    """

    file: str
    make: typing.Callable
    read: typing.Callable
    seeds: typing.Sequence


FORMATS = {}


def _reads(group, files, make, seeds=()):
    """Add a format for each file; the decorated function reads it."""

    def add(read):
        for file in files.split():
            name = f"{group}-{file}".replace("/", "-")
            FORMATS[name] = Format(file, make, read, seeds)
        return read

    return add


def _golden(name):
    source = _GOLDEN / name
    return functools.partial(shutil.copytree, source, dirs_exist_ok=True)


def _model(format, is_listed=False):
    def make(folder):
        save_pretrained(tiny.make_bert(), folder, format)
        if not is_listed:  # The manifest would reject any change of a file.
            (folder / "manifest.json").unlink()

    return make


def _task(name, format="keras", **arguments):
    def make(folder):
        task = getattr(tasks, name)(tiny.make_bert(), **arguments)
        task.save(folder, format=format)
        (folder / "manifest.json").unlink()

    return make


def _tokenizer(model_type, *without):
    def make(folder):
        conftest._make_settings_of(model_type).write(folder)
        for name in without:
            (folder / name).unlink()

    return make


def _files(**contents):
    """Return a function that writes files; "a__b_c" is "a/b.c"."""

    def make(folder):
        for name, content in contents.items():
            path = folder / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            is_text = isinstance(content, str)
            path.write_bytes(content.encode() if is_text else content)

    return make


def _all(*calls):
    """Call functions, and raise the first error."""
    errors = []
    for call in calls:
        try:
            call()
        except ValueError as error:
            errors.append(error)
    for error in errors:
        raise error


def _arrays(opened):
    _all(*(functools.partial(opened.read, name) for name in opened.shapes))


@_reads("keras", "model.safetensors", _model("keras"))
def _read_safetensors(folder, path):
    _arrays(safetensors_file.SafetensorsFile(path))


@_reads("torch", "zip.bin legacy.bin", _golden("torch"))
def _read_torch(folder, path):
    _arrays(torch_file.TorchFile(path))


_DATA = "bert_model.ckpt.index bert_model.ckpt.data-00000-of-00001"


@_reads("garden", _DATA, _golden("model_garden/encoder"))
@_reads("tf1", _DATA, _model("tf1"))
def _read_bundle(folder, path):
    _arrays(tensorflow_file.TensorFlowFile(folder / "bert_model.ckpt"))


_INDEX = {"weight_map": {"float32": "zip.bin", "bfloat16": "legacy.bin"}}


def _sharded(folder):
    _golden("torch")(folder)
    (folder / "x.index.json").write_text(json.dumps(_INDEX))


@_reads("shards", "x.index.json", _sharded)
def _read_shards(folder, path):
    _arrays(sharded_file.open_sharded(path, torch_file.TorchFile))


@_reads("run", "run.json", _golden("earlier/run"))
def _read_run(folder, path):
    check_run(folder, {"seed": 1})


_STATE = "states/step-00000200.npz states/model_config.json"


@_reads("run", _STATE, _golden("earlier/run"))
def _read_state(folder, path):
    _all(
        lambda: _arrays(own.open_states(folder).arrays),
        lambda: restore_state(folder / "states", []),
    )


@_reads("elmo", "weights.hdf5 options.json", make_elmo_golden.write_files)
def _read_elmo(folder, path):
    if elmo.Elmo is checkpoints.Elmo:  # Its layers are made only once.
        made = elmo.Elmo(ElmoOptions.from_json(folder / "options.json"))
        elmo.Elmo = lambda options: made
    checkpoints.read_elmo(folder / "options.json", folder / "weights.hdf5")


_DUMPS = json.loads((_GOLDEN / "hf_configs.json").read_text())["dumps"]
_CONFIGS = [json.dumps(x).encode() for x in _DUMPS.values()]
_CONFIGS += [x.read_bytes() for x in keras_bert.CONFIGS.glob("*.json")]


@_reads("published", "config.json", _model("hf"), _CONFIGS)
def _read_config(folder, path):
    _all(
        lambda: hugging_face._read_config(path),
        lambda: checkpoints.family.read_config(path),
    )


@_reads("planned", "config.json task.json", _task("TextRegressor", "hf"))
def _read_plan(folder, path):
    """Compare a checkpoint with its config, without making the model."""
    source = hugging_face.open_hugging_face(folder)
    pretrained._check_sizes(source)
    plan_loading(source)


@_reads("loaded", "config.json", _model("hf"))
@_reads("loaded", "bert_config.json", _model("tf1"))
@_reads("loaded", "model_config.json", _model("keras"))
@_reads("loaded", "manifest.json", _model("keras", True))
def _load(folder, path):
    casing_from_files(folder / "vocab.txt")
    keras_bert.from_pretrained(folder)


def _adapter(folder):
    model = tiny.make_bert()
    peft.record_base_weights(model.backbone)
    for layer in dense_layers(model.model):
        if "attention" in layer.path:
            layer.enable_lora(2)
    checkpoints.save_adapter(model, folder)


_adapted = functools.cache(tiny.make_bert)


@_reads("peft", "adapter_config.json adapter_model.safetensors", _adapter)
def _read_adapter(folder, path):
    _adapted().backbone.merged_adapters.clear()
    checkpoints.load_adapter(_adapted(), folder)


def _older(folder):
    """Write the files of older releases of transformers."""
    special = {"mask_token": {"content": "[MASK]", "lstrip": True}}
    _tokenizer("bert")(folder)
    (folder / "added_tokens.json").write_text('{"<a>": 40}')
    (folder / "special_tokens_map.json").write_text(json.dumps(special))


_CONFIG, _FAST = "tokenizer_config.json", "tokenizer.json"
_TOKENIZERS = (
    ("wordpiece", f"vocab.txt {_CONFIG}", _tokenizer("bert")),
    ("older", "added_tokens.json special_tokens_map.json", _older),
    ("added", f"{_FAST} {_CONFIG}", _golden("pylate")),
    ("bpe", "vocab.json merges.txt", _tokenizer("openai-gpt")),
    ("byte_bpe", f"vocab.json merges.txt {_CONFIG}", _tokenizer("roberta")),
    ("deberta", _FAST, _tokenizer("deberta", "vocab.json", "merges.txt")),
    ("albert", f"spiece.model {_FAST} {_CONFIG}", _tokenizer("albert")),
    ("unigram", _FAST, _tokenizer("albert", "spiece.model")),
    ("xlm", "sentencepiece.bpe.model", _tokenizer("xlm-roberta", _FAST)),
    ("xlnet", f"spiece.model {_FAST}", _tokenizer("xlnet")),
    ("spm", "spm.model", _tokenizer("deberta-v2", _FAST)),
)


def _tokenize(make, folder, path):
    texts = ["word1 word2 [MASK] <s> \xe9\u4e2d", ""]
    make(read_tokenizer("wordpiece", folder, 100))(texts)


for _group, *_row in _TOKENIZERS:
    for _kind, _make in (
        ("", lambda settings: len),
        ("host_", HostTokenizer),
        ("graph_", lambda settings: settings.make()),
    ):
        _reads(_kind + _group, *_row)(functools.partial(_tokenize, _make))

_LABELS = {"labels": ["x", "y"]}
_ST = "modules.json config_sentence_transformers.json sentence_bert_config.json"
_DENSE = "1_Dense/config.json 1_Dense/model.safetensors"
_POOLING, _SPLADE = "1_Pooling/config.json", "1_SpladePooling/config.json"


@_reads("classifier", "task.json", _task("TextClassifier", **_LABELS))
@_reads("tagger", "task.json", _task("TokenClassifier", labels=["O", "B-A"]))
@_reads("answerer", "task.json", _task("QuestionAnswerer"))
@_reads("ranker", "task.json", _task("PairRanker"))
@_reads("embedder", "task.json", _task("TextEmbedder"))
@_reads("sparse", "task.json", _task("SparseEmbedder"))
@_reads("late", "task.json", _task("LateInteractionEmbedder"))
@_reads("features", "task.json", _task("FeatureTextClassifier", **_LABELS))
@_reads("st", f"{_ST} {_POOLING}", _task("TextEmbedder", "hf"))
@_reads("splade", f"{_ST} {_SPLADE}", _task("SparseEmbedder", "hf"))
@_reads("pylate", f"{_ST} {_DENSE}", _golden("pylate"))
@_reads("ranker", "config.json", _task("PairRanker", "hf"))
def _load_task(folder, path):
    for module in (saving, sparse_saving, late_interaction_saving):
        if module.from_pretrained is keras_bert.from_pretrained:
            cached = functools.cache(module.from_pretrained)
            module.from_pretrained = cached  # Encoders are loaded only once.
    tasks.load_any_task(folder, default="text_embedder")


_EARLIER = _golden("earlier")
_RECORDS = "records.tfrecord"


@_reads("facts", "manifest-records.tfrecord.json", _EARLIER)
def _read_facts(folder, path):
    facts = read_record_facts([str(folder / _RECORDS)])
    facts.resolve("max_seq_length", None, 8)
    facts.check_vocabulary(Vocabulary.from_file(folder / "vocab.txt"), "v")


@_reads("framed", _RECORDS, _EARLIER)
def _read_records(folder, path):
    [*framed_records(path)]


@_reads("examples", _RECORDS, _EARLIER)
def _read_examples(folder, path):
    vocabulary = Vocabulary.from_file(folder / "vocab.txt")
    [*read_checked_records(str(path), vocabulary)]
    lengths = {"max_seq_length": 16, "max_predictions_per_seq": 4, "1": 1}
    first_record.check_first_records([str(path)], "static", lengths, 18)


_TABLES = _files(
    a_csv='text,label\n"a, ""b""",x\nc,y\n',
    a_tsv="text\tlabel\na\tx\nc\ty\n",
    a_jsonl='{"text": "a b", "label": 1.5}\n{"text": "c", "label": "x"}\n',
    a_txt="a\nb\n\n\n",
    b_gz=gzip.compress(b"a\nb\n\nc\n"),
)


@_reads("table", "a.csv a.tsv a.jsonl", _TABLES)
def _read_table(folder, path):
    _all(
        lambda: tasks.read_table(path, {"text": "text"}, {"label": "label"}),
        lambda: [*read_dicts(path)],
        lambda: [*open_input_file(str(path)).rows()],
    )


@_reads("sources", "a.txt a.jsonl b.gz", _TABLES)
def _read_sources(folder, path):
    [*source_documents(open_sources([str(path)]))]


_CONLL = "-DOCSTART- O\n\nEU NNP B-ORG\nx Y O\n\n# c\nz Z I-PER\n"
_CONLLU = b"# c\n1-2\tdu\t_\n1\tde\tX\n2\tle\tY\n\n1\tla\tX\n"


@_reads("words", "a.conll", _files(a_conll=_CONLL), [_CONLLU])
def _read_conll(folder, path):
    tasks.read_conll(path, on_stray_tag="repair")
    [*open_input_file(str(path)).rows()]


_QUESTIONS = {"1": ("Who?", "dog"), "2": ("Why?", ""), "3": ("A?", ("b", 1))}
_SQUAD = json.dumps(tiny.squad(("The dog sees.", _QUESTIONS)))


@_reads("squad", "a.json", _files(a_json=_SQUAD))
def _read_squad(folder, path):
    tasks.read_squad(path)


_BEIR = _files(
    qrels__test_tsv="query-id\tcorpus-id\tscore\nq\td\t1\nq\te\t0\n",
    corpus_jsonl='{"_id": "d", "title": "t", "text": "a"}\n',
    queries_jsonl='{"_id": "q", "text": "b"}\n',
)


@_reads("beir", "corpus.jsonl queries.jsonl qrels/test.tsv", _BEIR)
def _read_beir(folder, path):
    tasks.read_beir(folder)


_SWAG = "sent1,sent2,ending0,ending1,ending2,ending3,label\na,b,c,d,e,f,0\n"
_RTE = "index\tsentence1\tsentence2\tlabel\n0\ta\tb\tentailment\n"


@_reads("swag", "a.csv", _files(a_csv=_SWAG))
def _read_swag(folder, path):
    tasks.read_swag(path)


@_reads("codah", "a.tsv", _files(a_tsv="c\tp\ta\tb\tc\td\t2\n"))
def _read_codah(folder, path):
    tasks.read_codah(path)


@_reads("glue", "train.tsv", _files(train_tsv=_RTE))
def _read_glue(folder, path):
    tasks.read_glue("rte", "train", folder)


def _onnx(folder):
    tasks.TextEmbedder(tiny.make_bert()).export_onnx(folder)


def _saved_model(folder):
    tasks.TextEmbedder(tiny.make_bert()).export_saved_model(folder)


@_reads("onnx", "manifest.json tokenizer.json", _onnx)
@_reads("saved", "1/export_manifest.json", _saved_model)
def _load_export(folder, path):
    load_model(folder).num_tokens(["a"], "")


_ROUTES = (
    ("/v1/embeddings", {"input": "a", "model": "embedder", "dimensions": 2}),
    ("/v1/embeddings", {"input": [[3, 4]], "model": "embedder"}),
    ("/v1/rerank", {"query": "a", "documents": ["b", {"text": "c"}]}),
    ("/rerank", {"query": "a", "texts": ["b"], "return_text": True}),
    ("/embed", {"inputs": ["a"], "normalize": True, "prompt_name": "query"}),
    ("/embed_sparse", {"inputs": "a"}),
    ("/predict", {"inputs": [["a"]]}),
    ("/v1/models/embedder:predict", {"instances": [{"text": "a"}]}),
    ("/v1/models/ranker:predict", {"inputs": {"text": [], "text_pair": []}}),
)
_REQUESTS = [json.dumps(["POST", *route]).encode() for route in _ROUTES]


def _served(folder):
    _task("TextEmbedder", prompts={"query": "the "})(folder / "embedder")
    _task("PairRanker")(folder / "ranker")
    _task("TextClassifier", **_LABELS)(folder / "classifier")
    _task("SparseEmbedder")(folder / "sparse")
    (folder / "request.json").write_text('["GET", "/v1/models", 0]')


@functools.cache
def _server(folder):
    paths = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    app = make_app(paths, max_texts=8, max_characters=2000)
    return app, asyncio.new_event_loop()


@_reads("served", "request.json", _served, _REQUESTS)
def _request(folder, path):
    """Send a request; raise AssertionError if the server fails."""
    data, statuses = path.read_bytes(), []
    try:
        method, route, body = json.loads(data)
        data = json.dumps(body).encode()
    except (TypeError, ValueError, RecursionError):
        method, route = "POST", "/v1/embeddings"
    # HTTP servers replace surrogates.
    names = [str(x).encode(errors="ignore").decode() for x in (method, route)]
    scope = dict(zip(("method", "path"), names), type="http", headers=[])
    scope |= {"query_string": b"", "http_version": "1.1"}

    async def receive():
        return {"type": "http.request", "body": data}

    async def send(message):
        statuses.append(message.get("status", 0))

    app, loop = _server(folder)
    loop.run_until_complete(app(scope, receive, send))
    assert 200 <= statuses[0] < 500, f"status {statuses[0]} of {names[1]}"
