"""Write tiny_spiece.model and sentencepiece.npz.

    pip install sentencepiece==0.2.3 tokenizers==0.23.3 numpy
    PYTHONPATH=. python tests/golden/make_sentencepiece_golden.py

If the model does not exist, it is learned from the pages of this repository,
with a small table of replacements, because the published table has 240 kB. The
arrays contain texts, their ids from google-research/albert's code with
`sentencepiece`, and their ids and starts from Hugging Face `tokenizers`,
configured like the published tokenizer.json files.
"""

import contextlib
import io
import pathlib
import random
import tempfile
import unicodedata

import numpy as np
import sentencepiece
import tokenizers

from keras_bert.pretraining.corpus.sentencepiece_learning import _OPTIONS
from keras_bert.text.normalization.normalizers import normalize_text
from keras_bert.text.sentencepiece.model import SentencePieceModel

_FOLDER = pathlib.Path(__file__).resolve().parent
_PAGES = sorted(_FOLDER.parents[1].glob("docs/*.md"))
_NUM_TEXTS = 600
# Some rules of nmt_nfkc: removed, replaced by a space, replaced.
_RULES = "1\t\n7F\t\n200B\t20\n2581\t20\n2215\t2F\n1F600\t3A 29\n"
_WORDS = (
    *("the", "a", "model", "tokens", "Text", "README", "1,024", "(BERT)"),
    *("e.g.", "[MASK]", "<unk>", "[CLS]", "don't", "``so''", "…", "naïve"),
    *("ﬁle", "Å", "½", "日本", "ж", "жд", "e\u0301\u0323", "\u200b", "\x01"),
    *("\x0b", "\u00a0", "😀", "\u2581", "x\u2581y", "£5", "–", "\u2215"),
    *("İ", "ς", "ß", "한국", "\u0301", "'''", "'＇", "`\u0301`", "```a"),
    *("\u0903", "a\u0903", "\x1c", "\u1cf2", "㋿", "\r\n", "⅓", "Ǆ"),
)
_JOINTS = ("", "", " ", " ", " ", "  ", "\t", "\n", "\u3000")


def _learn():
    sentences = [
        normalize_text(line, lowercase=True)
        for page in _PAGES
        for line in page.read_text(encoding="utf-8").splitlines()
    ]
    model = io.BytesIO()
    # The model contains the name of the rules.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        pathlib.Path("rules.tsv").write_text(_RULES)
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            vocab_size=400,
            num_threads=1,
            normalization_rule_tsv="rules.tsv",
            **{**_OPTIONS, "character_coverage": 0.999},
        )
    return model.getvalue()


def _texts():
    choose = random.Random(1909)
    letters = "abcdefghijklmnopqrstuvwxyzABC0123456789.,;:!?\"'()-"
    texts = [*_WORDS, "", " ", " \u3000 "]
    while len(texts) < _NUM_TEXTS:
        parts = []
        for _ in range(choose.randint(1, 9)):
            word = "".join(choose.choices(letters, k=choose.randint(1, 9)))
            parts += [choose.choice([word, choose.choice(_WORDS)])]
            parts += [choose.choice(_JOINTS)]
        texts.append("".join(parts))
    return texts


def _published(text):
    """Apply `preprocess_text` of google-research/albert."""
    text = unicodedata.normalize("NFKD", " ".join(text.split()))
    return "".join(c for c in text if not unicodedata.combining(c)).lower()


def _hugging_face(processor, charsmap):
    ids = range(processor.get_piece_size())
    normalizers = tokenizers.normalizers
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.Unigram(
            [(processor.id_to_piece(i), processor.get_score(i)) for i in ids],
            unk_id=processor.unk_id(),
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace("``", '"'),
            normalizers.Replace("''", '"'),
            normalizers.NFKD(),
            normalizers.StripAccents(),
            normalizers.Lowercase(),
            normalizers.Precompiled(charsmap),
        ]
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.WhitespaceSplit(),
            tokenizers.pre_tokenizers.Metaspace(),
        ]
    )
    return tokenizer


def _rows(name, rows):
    """Convert rows of ints to two arrays."""
    return {
        name: np.concatenate([np.array(row, np.int16) for row in rows]),
        f"{name}_lengths": np.array([len(row) for row in rows], np.int16),
    }


def main():
    path = _FOLDER / "tiny_spiece.model"
    if not path.exists():
        path.write_bytes(_learn())
    data = path.read_bytes()
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)
    texts = _texts()
    peer = _hugging_face(processor, SentencePieceModel(data).charsmap)
    encodings = peer.encode_batch(texts, add_special_tokens=False)
    starts = [
        [len(text[:start].encode()) for start, _ in encoding.offsets]
        for text, encoding in zip(texts, encodings)
    ]
    np.savez_compressed(
        _FOLDER / "sentencepiece.npz",
        texts=np.frombuffer("\0".join(texts).encode(), np.uint8),
        **_rows("published", processor.encode([*map(_published, texts)])),
        **_rows("hugging_face", [encoding.ids for encoding in encodings]),
        **_rows("hugging_face_starts", starts),
    )


if __name__ == "__main__":
    main()
