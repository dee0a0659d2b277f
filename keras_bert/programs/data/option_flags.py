"""The flags of `TextOptions` and `PretrainingDataOptions`."""

from absl import flags

from keras_bert import command_line
from keras_bert.data.examples.options import PretrainingDataOptions
from keras_bert.data.examples.options import TextOptions
from keras_bert.data.examples.packings import PACKINGS
from keras_bert.text.tokenizer_kinds import VOCAB_FILE_HELP

flags.disclaim_key_flags()  # They are the flags of the program.

_DEFAULTS = PretrainingDataOptions()
_COUNTS = {
    "max_seq_length": "Length of the sequences.",
    "max_predictions_per_seq": "Most masked tokens in a sequence.",
    "ngram": "Mask runs of 1 up to so many words (pieces without "
    "--do_whole_word_mask).",
    "dupe_factor": "Passes over the text.",
    "random_seed": "The same seed gives the same records.",
}
_SHARES = {
    "masked_lm_prob": "Share of tokens to mask.",
    "short_seq_prob": "Share of documents walked with a random shorter length.",
}


class OptionFlags:
    """Defines the flags, and gives the options that they mean."""

    def __init__(self):
        self._define_text_flags()
        self.do_whole_word_mask = flags.DEFINE_bool(
            "do_whole_word_mask", False, "Mask all pieces of a word or none."
        )
        self.packing = flags.DEFINE_enum(
            "packing",
            _DEFAULTS.packing,
            [*PACKINGS],
            "What an example holds: two segments or two sentences, of which B "
            "follows A or is random; one text of full sentences, across "
            "documents or of one; or two segments in order or swapped.",
        )
        self.masking = flags.DEFINE_enum(
            "masking",
            _DEFAULTS.masking,
            ["static", "dynamic"],
            "Mask here, or anew at each step of training.",
        )
        counts = {
            name: flags.DEFINE_integer(name, getattr(_DEFAULTS, name), text)
            for name, text in _COUNTS.items()
        }
        shares = {
            name: flags.DEFINE_float(name, getattr(_DEFAULTS, name), text)
            for name, text in _SHARES.items()
        }
        self._numbers = {**counts, **shares}

    def _define_text_flags(self):
        self.vocab_file = flags.DEFINE_string(
            "vocab_file", None, VOCAB_FILE_HELP, required=True
        )
        self.do_lower_case = flags.DEFINE_bool(
            "do_lower_case",
            None,
            "Of word pieces: lower-case the text and strip its accents. By "
            "default as the vocabulary's manifest, the tokenizer_config.json "
            "in its directory or the table of the published models says; true "
            "where nothing tells.",
        )
        self.split_sentences = flags.DEFINE_bool(
            "split_sentences", False, "The lines are paragraphs of English."
        )
        self.segmented_words = flags.DEFINE_bool(
            "segmented_words",
            False,
            "Words are what stands between spaces, as in pre-segmented "
            "Chinese.",
        )

    def text_options(self, on_bad_line="stop"):
        """The `TextOptions`; `settled` looks at the files.

        Args:
            on_bad_line: str, as `TextOptions` takes it.
        """
        return TextOptions(
            vocab_file=self.vocab_file.value,
            do_lower_case=self.do_lower_case.value,
            split_sentences=self.split_sentences.value,
            segmented_words=self.segmented_words.value,
            on_bad_line=on_bad_line,
        )

    def options(self):
        """The `PretrainingDataOptions`.

        Raises:
            ValueError: a flag has no effect, or a value is not allowed.
        """
        if self.masking.value == "dynamic":
            reason = (
                "is for --masking=static; with --masking=dynamic it is a flag "
                "of the training"
            )
            command_line.refuse(self.do_whole_word_mask, reason)
            for name in ("masked_lm_prob", "ngram"):
                command_line.refuse(self._numbers[name], reason)
        if not PACKINGS[self.packing.value].has_short:
            names = [x for x, packing in PACKINGS.items() if packing.has_short]
            command_line.refuse(
                self._numbers["short_seq_prob"],
                f"is for --packing={' or '.join(names)}",
            )
        return PretrainingDataOptions(
            do_whole_word_mask=self.do_whole_word_mask.value,
            masking=self.masking.value,
            packing=self.packing.value,
            **{name: flag.value for name, flag in self._numbers.items()},
        )
