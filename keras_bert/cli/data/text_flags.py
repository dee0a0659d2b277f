"""Input text flags, shared by all programs that read text."""

from keras_bert import command_line
from keras_bert.files.patterns import expand_patterns
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.pretraining.corpus.json_lines import JsonLinesFile
from keras_bert.pretraining.corpus.sources import open_sources


class TextFlags:
    """Input text flags.

    Args:
        program: `Program`.
        is_optional: bool, whether the program has a default text.
    """

    def __init__(self, program, is_optional=False):
        self._is_optional = is_optional
        self.input_file = program.optional(
            "input_file",
            "Text files: paths and globs, comma-separated; .txt (one sentence "
            "per line, a blank line between documents) or .jsonl (one document "
            "per line), also as .gz; or /dev/stdin.",
        )
        self.tfds_name = program.optional(
            "tfds_name",
            "Prepared TensorFlow Datasets dataset to read instead; each "
            "example is a document.",
        )
        self.tfds_split = program.string(
            "tfds_split", "train", "Split of --tfds_name, such as train[:10%]."
        )
        self.text_key = program.string(
            "text_key", "text", "Key of the text in .jsonl files and datasets."
        )
        self.on_bad_line = program.enum(
            "on_bad_line",
            "stop",
            ["stop", "skip"],
            "Handling of .jsonl lines without text: stop, or skip and count.",
        )
        program.group("Text", [*vars(self).values()][1:])

    @property
    def is_given(self):
        """True if the flags name an input."""
        return self.input_file.present or self.tfds_name.present

    def paths(self):
        """Check the flags and return the input files ([] for a dataset)."""
        if self.is_given or not self._is_optional:
            command_line.require_one(self.input_file, self.tfds_name)
        if self.tfds_name.value is None:
            command_line.reject("requires --tfds_name", self.tfds_split)
        if not self.is_given:
            command_line.reject(
                "requires --input_file", self.text_key, self.on_bad_line
            )
        if self.input_file.value is None:
            return []
        return expand_patterns(self.input_file.value, streams=True)

    def sources(self, paths):
        """Open the files returned by `paths`, or the dataset."""
        if self.tfds_name.value is not None:
            command_line.reject("requires .jsonl files", self.on_bad_line)
            # Import late, because TensorFlow Datasets is optional.
            command_line.import_quietly("tensorflow")
            from keras_bert.pretraining.corpus.tfds import TfdsSource

            name = self.tfds_name.value
            return [
                TfdsSource(name, self.tfds_split.value, self.text_key.value)
            ]
        sources = open_sources(paths, self.text_key.value)
        if not any(isinstance(source, JsonLinesFile) for source in sources):
            reason = f"requires .jsonl files, not {', '.join(paths[:3])}"
            command_line.reject(reason, self.text_key, self.on_bad_line)
        return sources

    def bad_lines(self):
        """Return a `BadLines` if invalid lines are skipped, otherwise None."""
        return BadLines() if self.on_bad_line.value == "skip" else None
