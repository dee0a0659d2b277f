"""Flags for `TextOptions` and `DataOptions`."""

from keras_bert import command_line
from keras_bert.cli.field_flags import FieldFlags
from keras_bert.pretraining.records.layouts import LAYOUTS
from keras_bert.pretraining.records.options import DataOptions
from keras_bert.pretraining.records.options import TextOptions


class OptionFlags:
    """Flags for `TextOptions` and `DataOptions`.

    Args:
        program: `Program`.
    """

    def __init__(self, program):
        self._text = FieldFlags(program, TextOptions, left_out=["on_bad_line"])
        self._options = FieldFlags(program, DataOptions)

    def text_options(self, on_bad_line="stop"):
        """Create the `TextOptions` from the flags.

        Args:
            on_bad_line: str, see `TextOptions`.
        """
        return self._text.values(on_bad_line=on_bad_line)

    def options(self):
        """Create the `DataOptions` from the flags.

        Raises:
            ValueError: a flag has no effect, or a value is not allowed.
        """
        holders = self._options.holders
        if holders["masking"].value == "dynamic":
            reason = (
                "requires --masking=static; with --masking=dynamic it is a "
                "flag of run_pretraining"
            )
            names = ("do_whole_word_mask", "masked_lm_prob", "ngram")
            command_line.reject(reason, *(holders[name] for name in names))
        if not LAYOUTS[holders["packing"].value].has_short:
            names = [x for x, layout in LAYOUTS.items() if layout.has_short]
            command_line.reject(
                f"requires --packing={' or '.join(names)}",
                holders["short_seq_prob"],
            )
        return self._options.values()
