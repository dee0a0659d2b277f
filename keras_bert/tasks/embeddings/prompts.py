"""Prompts: what is put before texts, by what they are for."""

import dataclasses

import tensorflow as tf

from keras_bert import checks
from keras_bert.tasks.fine_tuning.columns import brief
from keras_bert.text.preprocessor import Preprocessor


@dataclasses.dataclass(frozen=True)
class Prompts:
    """Strings by name, and the name of the one that is the default.

    Args:
        prompts: dict from names to strings, which may be empty.
        default_prompt_name: str, one of the names, or None: texts are
            embedded as they are.
        include_prompt: bool, whether the tokens of the prompt, and the special
            token before it, take part in the pooling.

    Raises:
        ValueError: a prompt is no string, or the default is none of them.
    """

    prompts: dict = dataclasses.field(default_factory=dict)
    default_prompt_name: str | None = None
    include_prompt: bool = True

    def __post_init__(self):
        prompts = self.prompts
        if not isinstance(prompts, dict) or not all(
            isinstance(x, str) for pair in prompts.items() for x in pair
        ):
            raise ValueError(
                "`prompts` must be a dict from names to strings. "
                f"Received: prompts={brief(prompts)}."
            )
        names = (None, *prompts)
        checks.one_of(names, default_prompt_name=self.default_prompt_name)

    def named(self, name=None):
        """Look up a prompt.

        Args:
            name: str, one of the names, "" for none; None for the default.

        Returns:
            str, "" for none.
        """
        name = self.default_prompt_name or "" if name is None else name
        if name:
            checks.one_of(self.prompts, prompt=name)
        return self.prompts.get(name, "")

    def first_of(self, *names):
        """The first of some names that a prompt has, "" for none."""
        return next((name for name in names if name in self.prompts), "")


class PromptPreprocessor(Preprocessor):
    """Puts a prompt before each text.

    Args:
        prompt: str.
        *others: as `Preprocessor` takes them.
    """

    def __init__(self, prompt, *others):
        super().__init__(*others)
        self.prompt = prompt
        self._by_prompt = {prompt: self}

    def __call__(self, texts):
        return super().__call__(self._prompted(texts))

    def encode(self, texts):
        return super().encode(self._prompted(texts))

    def _prompted(self, texts):
        return tf.strings.join([self.prompt, texts]) if self.prompt else texts

    def with_prompt(self, prompt):
        """The same with another prompt, made once."""
        if prompt not in self._by_prompt:
            others = self.tokenizer, self.template, self.seq_length
            self._by_prompt[prompt] = PromptPreprocessor(prompt, *others)
        return self._by_prompt[prompt]

    @property
    def num_prompt_tokens(self):
        """Count the tokens of the prompt by itself, with the [CLS] before."""
        if not self.prompt:
            return 0
        (mask,) = super().__call__([self.prompt])["input_mask"].numpy()
        return int(mask.sum()) - 1  # Without the [SEP] behind it.
