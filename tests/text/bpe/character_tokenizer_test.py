"""BPE over characters: special tokens, files and errors."""

import json

import pytest

from keras_bert.export.onnx.tokenizer_json import write_tokenizer_json
from keras_bert.template import Template
from keras_bert.text.bpe.character_settings import BpeSettings
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.text.tokenizer_kinds import KINDS
from keras_bert.text.tokenizer_kinds import kind_of_file


def test_special_tokens_are_found_where_they_are_asked_for(bpe):
    tokenizer = bpe.make()
    found = tokenizer.with_special_tokens()
    text = "é the<unk><unk>fox <unk 中<unk>"
    ids, starts, ends = (x[0] for x in found.tokenize_with_offsets([text]))
    spans = [*zip(starts.numpy(), ends.numpy(), strict=True)]
    spelled = [text.encode()[a:b].decode() for a, b in spans]
    places = [n for n, token in enumerate(spelled) if token == "<unk>"]
    assert len(places) == 3 and not {*ids.numpy()[places]} - {0}
    assert "".join(spelled) == text.replace(" ", "")
    plain = tokenizer(["the fox, so."])[0].numpy()
    assert tokenizer.detokenize(plain) == "the fox , so ."
    assert found(["the fox, so."])[0].numpy().tolist() == plain.tolist()


def test_a_tokenizer_json_is_read_and_another_refused(bpe, tmp_path):
    template = Template("A", "A B", "unknown", segments=False)
    path = tmp_path / "tokenizer.json"
    write_tokenizer_json(Preprocessor(bpe.make(), template, 32), path)
    assert kind_of_file(path) is KINDS["bpe"]
    assert BpeSettings.read(tmp_path).merges == bpe.merges
    values = json.loads(path.read_text())
    for changed, words in (
        ({**values, "normalizer": {"type": "NFC"}}, "normalizer.*'NFC'"),
        ({"model": []}, "tokenizer.json"),
    ):
        path.write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=words):
            BpeSettings.read(tmp_path)
    path.unlink()
    with pytest.raises(ValueError, match="vocab.json and merges.txt, or"):
        BpeSettings.read(tmp_path)
