"""Named prompts that are prepended to texts before embedding."""

import dataclasses
import re

from keras_bert import checks
from keras_bert.lazy_tensorflow import tf
from keras_bert.messages import brief
from keras_bert.template import FIRST
from keras_bert.text.preprocessor import Preprocessor


@dataclasses.dataclass(frozen=True)
class Prompts:
    """Named prompts with a default, as in sentence-transformers.

    Args:
        prompts: dict mapping names to prompts (str). The dict may be empty, and
            a prompt may be "".
        default_prompt_name: str, one of the names; None or "" for no prompt.
        include_prompt: bool, whether the pooling includes the tokens of the
            prompt and the special token before it.

    Raises:
        ValueError: a prompt is not a string, or the default name is unknown.
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
                "`prompts` must be a dict mapping names to strings. "
                f"Received: prompts={brief(prompts)}."
            )
        name = self.default_prompt_name or None
        checks.one_of((None, *prompts), default_prompt_name=name)
        vars(self)["default_prompt_name"] = name

    def named(self, name=None):
        """Return a prompt by its name.

        Args:
            name: str, one of the names, or the text of a prompt, which has
                other characters than letters, digits, hyphens and
                underscores; "" for no prompt, None for the default.

        Returns:
            The prompt (str), "" if there is none.
        """
        name = self.default_prompt_name or "" if name is None else name
        is_text = isinstance(name, str) and re.search(r"[^\w-]", name)
        if is_text and name not in self.prompts:
            return name
        if name and name not in self.prompts:
            names = ", ".join(map(str, self.prompts)) or "none yet"
            raise ValueError(
                f"`prompt` must be the name of a prompt ({names}), or the text "
                "of a prompt, such as 'query: '. To add a name, pass "
                "prompts={'query': 'query: '} to `from_pretrained`. "
                f"Received: prompt={brief(name)}."
            )
        return self.prompts.get(name, "")

    def first_of(self, *names):
        """Return the first of several names that has a prompt, or ""."""
        return next((name for name in names if name in self.prompts), "")


class PromptPreprocessor(Preprocessor):
    """Preprocessor that prepends a prompt to each text.

    Args:
        prompt: str.
        *others: arguments of `Preprocessor`.
    """

    def __init__(self, prompt, *others):
        super().__init__(*others)
        self.prompt = prompt
        self._by_prompt = {prompt: self}

    def tokenize(self, texts):
        if self.prompt and isinstance(texts, list):
            texts = [x.encode() if isinstance(x, str) else x for x in texts]
            texts = [self.prompt.encode() + text for text in texts]
        elif self.prompt:
            texts = tf.strings.join([self.prompt, texts])
        return super().tokenize(texts)

    def with_prompt(self, prompt):
        """Return a cached copy of this preprocessor with a different prompt."""
        if prompt not in self._by_prompt:
            self._by_prompt[prompt] = type(self)(
                prompt, self.tokenizer, self.template, self.seq_length
            )
        return self._by_prompt[prompt]

    @property
    def num_prompt_tokens(self):
        """Number of prompt tokens, including the [CLS] token before them."""
        if not self.prompt:
            return 0
        rows = self.rows(self.tokenizer([self.prompt]))
        words = [word for word, _ in self.template.layout(is_pair=False)]
        return int(rows.lengths[0]) - len(words[words.index(FIRST) + 1 :])


class MarkedPreprocessor(PromptPreprocessor):
    """Preprocessor that marks texts with a token.

    The marker is the prompt, such as "[Q] ", or its first word, if this is a
    token of the vocabulary that the tokenizer splits. The rest of the prompt is
    prepended to each text.

    Args:
        prompt: str.
        tokenizer, template, seq_length: arguments of `Preprocessor`.

    References:
        [ColBERT](https://arxiv.org/abs/2004.12832), section 3.2
    """

    def __init__(self, prompt, tokenizer, template, seq_length):
        marker = _marker(prompt, tokenizer)
        template = dataclasses.replace(template, marker=marker)
        text = prompt.removeprefix(marker)
        super().__init__(text, tokenizer, template, seq_length)
        self._by_prompt = {prompt: self}


def _marker(prompt, tokenizer):
    """Return the token at the start of a prompt, or ""."""
    for token in (prompt, *prompt.split(maxsplit=1)[:1]):
        if token in tokenizer.vocabulary.ids:
            is_split = len(tokenizer([token])[0]) > 1
            return token if is_split else ""
    return ""
