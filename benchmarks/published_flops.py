"""Training operations of published models, counted as in ELECTRA's paper.

    python benchmarks/published_flops.py

The program follows the rules of google-research/electra (arXiv 2003.10555): a
multiplication and an addition count as two, the backward pass costs as much as
the forward pass, an embedding lookup is a product with a one-hot vector, 80 of
512 positions are predicted, and elementwise operations are counted too.
"""

import dataclasses

_DROPOUT, _NORM, _GELU, _SOFTMAX = 4, 5, 8, 5
_PREDICTED = 0.15625


@dataclasses.dataclass(frozen=True)
class Encoder:
    """Sizes of an encoder with heads of size 64 and intermediate size 4 H."""

    hidden: int
    layers: int
    seq_length: int = 512
    embedding: int | None = None
    vocab_size: int = 30522

    def forward(self, looks_up=True):
        """Return the operations of the encoder for a sequence (int).

        Args:
            looks_up: bool, whether to count lookups of words as products.
        """
        hidden, length, heads = self.hidden, self.seq_length, self.hidden // 64
        width = self.embedding or hidden
        weights = 2 * 12 * hidden**2 + 4 * length * hidden
        scores = length * heads * (_SOFTMAX + _DROPOUT + 1)
        # Biases, dropout, residuals, GELU; the first norm counts once.
        vectors = hidden * (9 + 2 * _DROPOUT + 2 + _NORM + 4 * _GELU) + _NORM
        tables = 2 * width * (length + 2) + 2 * width
        tables += (_NORM + _DROPOUT) * width
        tables += 2 * width * self.vocab_size * looks_up
        if width != hidden:
            tables += 2 * hidden * width + hidden
        return length * (self.layers * (weights + scores + vectors) + tables)

    def masked_lm(self):
        """Return the operations of the masked-LM head for a sequence."""
        width = self.embedding or self.hidden
        each = 2 * self.hidden * width + (1 + _GELU + _NORM) * width
        each += (2 * width + _SOFTMAX + 2) * self.vocab_size
        return _PREDICTED * self.seq_length * each

    def per_token_head(self):
        """Return the operations of a two-layer head at all positions."""
        hidden = self.hidden
        return self.seq_length * hidden * (2 * hidden + 1 + _GELU + 2)

    def mlm_training(self, examples):
        """Return the operations of masked-LM training."""
        return 2 * examples * (self.forward() + self.masked_lm())

    def electra_training(self, generator, examples):
        """Return the operations of ELECTRA's training."""
        own = 2 * examples * (self.forward() + self.per_token_head())
        return own + generator.mlm_training(examples)


_SMALL = Encoder(256, 12, 128, 128)
_BASE = Encoder(768, 12)
TRAINING = {
    "BERT-small": _SMALL.mlm_training(128 * 1.45e6),
    "BERT-base": _BASE.mlm_training(256 * 1e6),
    "BERT-large": Encoder(1024, 24).mlm_training(256 * 1e6),
    "ELECTRA-small": _SMALL.electra_training(
        Encoder(64, 12, 128, 128), 128 * 1e6
    ),
    "ELECTRA-base": _BASE.electra_training(
        Encoder(256, 12, 512, 768), 256 * 766_000
    ),
}
PASS = Encoder(768, 12, 128)


def main():
    for name, operations in TRAINING.items():
        print(f"{name}: {operations:.2e}")
    print(f"BERT-base, a pass at 128: {PASS.forward(looks_up=False):.3e}")


if __name__ == "__main__":
    main()
