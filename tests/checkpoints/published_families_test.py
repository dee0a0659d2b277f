"""Families against transformers' own numbers, and back into its files."""

import json
import pathlib
import re
import shutil

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.arrays.tensorflow_file import TensorFlowFile
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.formats.hugging_face_names import encoder_prefix
from keras_bert.checkpoints.formats.hugging_face_names import task_class
from keras_bert.checkpoints.weight_table import head_rows
from keras_bert.checkpoints.weight_table import other_names
from keras_bert.checkpoints.weight_table import tied_arrays
from keras_bert.models.albert import AlbertConfig
from keras_bert.models.heads import logits_name

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
_FAMILIES = ("albert", "deberta", "deberta-v2", "electra") + (
    "mpnet",
    "roberta",
    "xlm-roberta",
)
_TASKS = ("ForSequenceClassification", "ForTokenClassification") + (
    "ForQuestionAnswering",
    "ForMultipleChoice",
)
_INPUTS = {"input_mask": "attention_mask", "segment_ids": "token_type_ids"}
_QUERY = re.compile(r"(query(_proj)?|attn\.q|in_proj)\.weight")
_OUTPUTS = {"mlm_logits": "logits"}


class Golden:
    """What `make_<family>_golden.py` has written, in groups."""

    def __init__(self, name, settings):
        self.family, self.settings = find_family(name), settings
        self.groups = {}
        with np.load(_GOLDEN / f"hf_{name}.npz") as arrays:
            for key in arrays:
                group, _, array = key.partition("/")
                self.groups.setdefault(group, {})[array] = arrays[key]
        self.config = json.loads(str(self.groups.pop("config")[""]))
        self.weights = self.groups["weights"]
        self.outputs = self.groups["outputs"]
        given = self.groups["inputs"]
        names = {
            name: _INPUTS.get(name, name) for name in ["input_ids", *_INPUTS]
        }
        self.inputs = {k: given[v] for k, v in names.items() if v in given}
        self.real = self.inputs["input_mask"].astype(bool)

    @property
    def parts(self):
        """Those of the family that transformers has too."""
        if self.family.model_type == "deberta-v2":
            return ("masked_lm_head",)
        return self.family.parts

    def write(self, directory, weights=None, **config):
        """A directory as transformers writes it."""
        weights = self.weights if weights is None else weights
        directory.mkdir()
        values = {**self.config, **config}
        (directory / "config.json").write_text(json.dumps(values))
        self.settings.save(directory)
        write_safetensors(
            directory / "model.safetensors",
            [(name, x.shape, lambda x=x: x) for name, x in weights.items()],
        )
        return directory


@pytest.fixture(scope="module")
def make_golden(make_settings_of):
    return lambda name: Golden(name, make_settings_of(name))


@pytest.fixture(scope="module", params=_FAMILIES)
def golden(request, make_golden):
    return make_golden(request.param)


@pytest.fixture(scope="module")
def model(golden, tmp_path_factory):
    return from_pretrained(
        golden.write(tmp_path_factory.mktemp("hf") / "model")
    )


def assert_close(ours, expected, tolerance):
    np.testing.assert_allclose(
        np.asarray(ours), expected, rtol=tolerance, atol=tolerance
    )


def test_hidden_states_are_those_of_transformers(model, golden):
    states = model.backbone.states_model()(golden.inputs)
    assert len(states) == model.config.depth + 1
    for index, state in states.items():
        expected = golden.outputs[f"hidden_states/{index}"]
        assert_close(
            np.asarray(state)[golden.real], expected[golden.real], 1e-5
        )
    outputs = model.encoder(golden.inputs)
    if "pooler" in model.family.parts:
        pooled = golden.outputs["pooler_output"]
        assert_close(outputs["pooled_output"], pooled, 1e-5)


def test_logits_are_those_of_transformers(model, golden):
    shape = golden.real.shape
    positions = np.tile(np.arange(shape[1], dtype=np.int32), (shape[0], 1))
    logits = model.pretrainer(
        {**golden.inputs, "masked_lm_positions": positions}
    )
    heads = [logits_name(part) for part in golden.parts if "head" in part]
    assert [*logits] == heads
    for name in heads:
        expected = golden.outputs[_OUTPUTS.get(name, name)]
        ours = logits[name]
        if expected.shape[:2] == shape:
            ours = np.asarray(ours)[golden.real]
            expected = expected[golden.real]
        assert_close(ours, expected, 1e-4)


@pytest.mark.parametrize("golden", ["electra"], indirect=True)
@pytest.mark.parametrize(
    "architecture, part, words",
    [
        ("ElectraForPreTraining", "replaced_token_head", "generator_"),
        ("ElectraForMaskedLM", "masked_lm_head", "discriminator_"),
    ],
)
def test_a_head_alone_is_read_and_written_as_its_class(
    architecture, part, words, golden, tmp_path
):
    items = golden.weights.items()
    weights = {name: x for name, x in items if not name.startswith(words)}
    model = from_pretrained(golden.write(tmp_path / "hf", weights))
    assert model.parts == {part}
    save_pretrained(model, tmp_path / "again", format="hf")
    file = SafetensorsFile(tmp_path / "again" / "model.safetensors")
    copies = {*tied_arrays(model.family.model_type, "hugging_face")}
    assert {*file.shapes} == {*weights} - copies
    config = json.loads((tmp_path / "again" / "config.json").read_text())
    assert config["architectures"] == [architecture]


@pytest.mark.parametrize("task", _TASKS)
def test_a_fine_tuned_head_is_that_of_transformers(task, golden, tmp_path):
    family, name = golden.family, golden.family.model_type
    part, kind = next(
        (part, kind)
        for part, kind in family.task_heads.items()
        if task_class(family, part).endswith(task)
    )
    architecture = task_class(family, part)
    if architecture not in golden.groups:
        names = {row["hugging_face"] for row in head_rows(name, part)}
        assert (name, names) == ("deberta", {"-"})
        return
    head = dict(golden.groups[architecture])
    logits = head.pop("logits")
    prefix = encoder_prefix(family.model_type)
    weights = {
        name: x for name, x in golden.weights.items() if name.startswith(prefix)
    }
    if kind.reads != "pooled_output":
        weights = {k: x for k, x in weights.items() if "pooler" not in k}
    path = golden.write(
        tmp_path / "hf",
        {**weights, **head},
        architectures=[architecture],
    )
    model = from_pretrained(path)
    assert model.task.head.part == part
    ours = np.asarray(model.task_model(golden.inputs)["logits"])
    if kind.reads == "sequence_output":
        ours, logits = ours[golden.real], logits[golden.real]
    assert_close(ours.reshape(logits.shape), logits, 1e-4)

    save_pretrained(model, tmp_path / "again", format="hf")
    file = SafetensorsFile(tmp_path / "again" / "model.safetensors")
    assert {*file.shapes} == {*weights, *head}
    for name, array in {**weights, **head}.items():
        np.testing.assert_array_equal(file.read(name), array)
    config = json.loads((tmp_path / "again" / "config.json").read_text())
    assert config["architectures"] == [architecture]
    rows = head_rows(family.model_type, part)
    assert len(rows) == len(head)


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_what_is_written_is_read_back_equal(format, golden, model, tmp_path):
    save_pretrained(model, tmp_path / "new", format=format)
    again = from_pretrained(tmp_path / "new")
    assert again.config == model.config
    assert again.parts == model.parts == {*golden.parts}
    assert_equal_weights(again, model)


def test_the_arrays_and_the_config_of_transformers_are_written(
    model, golden, tmp_path
):
    save_pretrained(model, tmp_path, format="hf")
    file = SafetensorsFile(tmp_path / "model.safetensors")
    copies = {*tied_arrays(model.family.model_type, "hugging_face")}
    assert {*file.shapes} == {*golden.weights} - copies
    for name in file.shapes:
        np.testing.assert_array_equal(file.read(name), golden.weights[name])
    config = json.loads((tmp_path / "config.json").read_text())
    for key, value in config.items():
        assert golden.config.get(key, value) == value, key
    assert {*golden.config} - {*config} <= {
        *("add_cross_attention", "classifier_dropout", "is_decoder"),
        *("bos_token_id", "eos_token_id", "summary_activation"),
        *("summary_last_dropout", "summary_type", "summary_use_proj"),
        "pooler_hidden_size",
        *("tie_word_embeddings", "transformers_version", "use_cache"),
    }
    card = (tmp_path / "README.md").read_text()
    assert f"# {model.family.name}" in card and model.family.paper in card


def test_an_encoder_saved_alone_is_read(golden, model, tmp_path):
    prefix = encoder_prefix(golden.family.model_type)
    weights = {
        name.removeprefix(prefix): array
        for name, array in golden.weights.items()
        if name.startswith(prefix)
    }
    alone = from_pretrained(golden.write(tmp_path / "alone", weights))
    assert alone.parts == {"pooler"} & {*model.family.parts}
    np.testing.assert_array_equal(
        alone.encoder(golden.inputs)["sequence_output"],
        model.encoder(golden.inputs)["sequence_output"],
    )


def test_an_untied_copy_is_an_error(golden, tmp_path):
    copies = tied_arrays(golden.family.model_type, "hugging_face")
    assert copies
    for number, copy in enumerate(copies):
        wrong = golden.weights[copies[copy]] + 1
        weights = {**golden.weights, copy: wrong}
        path = golden.write(tmp_path / str(number), weights)
        with pytest.raises(CheckpointError, match=f"{copy} must be the same"):
            from_pretrained(path)


def test_what_is_missing_or_misshaped_is_named(golden, tmp_path):
    name = next(name for name in golden.weights if _QUERY.search(name))
    left = {k: x for k, x in golden.weights.items() if k != name}
    with pytest.raises(CheckpointError, match=f"Missing: 1, {name}"):
        from_pretrained(golden.write(tmp_path / "missing", left))
    wrong = {**golden.weights, name: np.zeros((16, 8), np.float32)}
    with pytest.raises(CheckpointError, match=f"shape: 1, {name}.*16, 8"):
        from_pretrained(golden.write(tmp_path / "misshaped", wrong))
    more = {**golden.weights, "surprise": np.zeros(1, np.float32)}
    path = golden.write(tmp_path / "unexpected", more)
    with pytest.raises(CheckpointError, match="Unexpected: 1, surprise"):
        from_pretrained(path, strict=True)


def test_a_tied_array_may_be_there_under_one_name_only(golden, tmp_path):
    weights, model_type = dict(golden.weights), golden.family.model_type
    expected = from_pretrained(golden.write(tmp_path / "model")).weights
    others = {y: x for x, y in other_names(model_type, "hugging_face").items()}
    for copy, name in tied_arrays(model_type, "hugging_face").items():
        array = weights.pop(others.get(name, name), weights.get(name))
        weights[copy] = weights.pop(name, array)
    found = from_pretrained(golden.write(tmp_path / "tied", weights)).weights
    for path, weight in expected.items():
        np.testing.assert_array_equal(weight, found[path], path)


def test_weights_under_the_config_of_bert_are_an_error(
    golden, make_settings, tmp_path
):
    path = tmp_path / "bert"
    path.mkdir()
    file = golden.write(tmp_path / "model") / "model.safetensors"
    shutil.move(file, path)
    config = {"model_type": "bert", "vocab_size": 40, "hidden_size": 16}
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 4}
    (path / "config.json").write_text(json.dumps({**config, **sizes}))
    make_settings("wordpiece").save(path)
    with pytest.raises(CheckpointError, match="Loaded: 0.*Unexpected: "):
        from_pretrained(path)


# What google-research/albert calls what transformers calls so, from left to
# right as its graph is made.
_GOOGLE_NAMES = {
    r"^albert.embeddings.(\w+_embeddings).weight$": r"bert/embeddings/\1",
    r"^albert.encoder.embedding_hidden": "bert/encoder/embedding_hidden",
    r"^albert.encoder.albert_layer_groups.(\d).albert_layers.(\d).": (
        r"bert/encoder/transformer/group_\1/inner_group_\2/"
    ),
    r"^albert.pooler": "bert/pooler/dense",
    r"full_layer_layer_norm": "LayerNorm_1",
    r"attention.LayerNorm": "LayerNorm",
    r"attention.dense": "attention_1/output/dense",
    r"attention.(query|key|value)": r"attention_1/self/\1",
    r"ffn_output": "ffn_1/intermediate/output/dense",
    r"ffn\.": "ffn_1/intermediate/dense.",
    r"^predictions.bias": "cls/predictions/output_bias",
    r"^predictions.": "cls/predictions/transform/",
    r"^sop_classifier.classifier.": "cls/seq_relationship/output_",
    r"output_weight$": "output_weights",
    r"LayerNorm(\w*).weight": r"LayerNorm\1/gamma",
    r"LayerNorm(\w*).bias": r"LayerNorm\1/beta",
    r"^albert.embeddings.": "bert/embeddings/",
    r"\.weight$": "/kernel",
    r"\.bias$": "/bias",
}


def google_arrays(golden):
    """The same weights as google-research/albert names and lays them."""
    arrays = {}
    for name, array in golden.weights.items():
        if "decoder" not in name:
            for pattern, ours in _GOOGLE_NAMES.items():
                name = re.sub(pattern, ours, name)
            is_kernel = name.endswith("/kernel")
            arrays[name] = array.T if is_kernel else array
    return arrays


@pytest.fixture(scope="module")
def google_directory(make_golden, save_with_tf1, tmp_path_factory):
    """As Google has published it: another name of the checkpoint, slots."""
    golden = make_golden("albert")
    directory = tmp_path_factory.mktemp("google")
    theirs = ("_token_id", "architectures", "model_type", "layer_norm_eps")
    theirs += ("transformers_version", "tie_word", "classifier_dropout")
    values = {
        key: value
        for key, value in golden.config.items()
        if not any(word in key for word in theirs)
    }
    values |= {"hidden_act": "gelu", "net_structure_type": 0, "gap_size": 0}
    values |= {"num_memory_blocks": 0, "down_scale_factor": 1}
    (directory / "albert_config.json").write_text(json.dumps(values))
    golden.settings.vocabulary.save(directory / "30k-clean.model")
    save_with_tf1(
        directory / "model.ckpt-best",
        google_arrays(golden),
        ["AdamWeightDecayOptimizer", "AdamWeightDecayOptimizer_1"],
    )
    return directory


def assert_equal_weights(ours, expected):
    assert [*ours.weights] == [*expected.weights]
    for path, weight in expected.weights.items():
        np.testing.assert_array_equal(ours.weights[path], weight)


@pytest.mark.parametrize("golden", ["albert"], indirect=True)
def test_the_weights_of_google_are_those_of_transformers(
    google_directory, model
):
    google_model = from_pretrained(google_directory)
    assert google_model.config == model.config
    assert google_model.parts == model.parts
    assert_equal_weights(google_model, model)


@pytest.mark.parametrize("golden", ["albert"], indirect=True)
def test_what_google_reads_is_written(
    model, golden, google_directory, tmp_path
):
    save_pretrained(model, tmp_path, format="tf1")
    written = TensorFlowFile(tmp_path / "bert_model.ckpt")
    arrays = google_arrays(golden)
    assert {*written.shapes} == {*arrays}
    for name, array in arrays.items():
        np.testing.assert_array_equal(written.read(name), array)
    config = json.loads((tmp_path / "albert_config.json").read_text())
    published = (google_directory / "albert_config.json").read_text()
    for key, value in json.loads(published).items():
        assert config.get(key, value) == value, key
    assert not (tmp_path / "bert_config.json").exists()
    assert_equal_weights(from_pretrained(tmp_path), model)


def test_google_has_no_place_for_roberta(make_golden, tmp_path):
    model = from_pretrained(make_golden("roberta").write(tmp_path / "hf"))
    with pytest.raises(ValueError, match="one that holds RoBERTa.*: tf1"):
        save_pretrained(model, tmp_path / "new", format="tf1")
    assert not list((tmp_path / "new").iterdir())


def test_google_has_no_matrix_between_equal_sizes(make_settings, tmp_path):
    config = AlbertConfig(40, 16, 2, 4, embedding_size=16)
    settings = make_settings("sentencepiece")
    model = PretrainedModel.from_config(config, settings)
    with pytest.raises(
        ValueError, match="google-research/albert has no matrix.*=16.*=16"
    ):
        save_pretrained(model, tmp_path / "new", format="tf1")


def test_two_configs_of_google_are_an_error(google_directory, tmp_path):
    shutil.copytree(google_directory, tmp_path / "two")
    (tmp_path / "two" / "bert_config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="must hold one config. Rec"):
        from_pretrained(tmp_path / "two")


@pytest.mark.parametrize("key", ["num_hidden_groups", "inner_group_num"])
def test_more_blocks_than_arrays_are_an_error(key, make_golden, tmp_path):
    changes = {key: 10**9, "num_hidden_layers": 10**9}
    path = make_golden("albert").write(tmp_path / "hf", **changes)
    with pytest.raises(CheckpointError, match=f"arrays, too few .*{key}=10000"):
        from_pretrained(path)
