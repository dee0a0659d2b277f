"""Texts to labels by the states of a frozen encoder of transformers."""

import types

import hugging_face_texts
import torch
import transformers

_NUM_LAYERS = 4
_NUM_LSTMS = 2
_DROPOUT = 0.5


class Features(hugging_face_texts.Texts):
    def make(self, model_dir):
        """The encoder under a fresh head."""
        encoder = transformers.AutoModel.from_pretrained(model_dir)
        return _FeatureClassifier(encoder, len(self.names))


class _FeatureClassifier(torch.nn.Module):
    """As `keras_bert.tasks.FeatureTextClassifier`, in torch's own layers."""

    def __init__(self, encoder, num_labels):
        super().__init__()
        self.encoder = encoder.requires_grad_(False)
        size = encoder.config.hidden_size
        self.dropout = torch.nn.Dropout(_DROPOUT)
        self.lstms = torch.nn.LSTM(
            _NUM_LAYERS * size,
            size,
            _NUM_LSTMS,
            batch_first=True,
            dropout=_DROPOUT,
            bidirectional=True,
        )
        self.logits = torch.nn.Linear(2 * size, num_labels)

    def train(self, mode=True):
        super().train(mode)
        self.encoder.eval()
        return self

    def forward(self, labels=None, **inputs):
        """The loss, if there are labels, and the logits."""
        with torch.no_grad():
            outputs = self.encoder(**inputs, output_hidden_states=True)
        states = torch.cat(outputs.hidden_states[-_NUM_LAYERS:], -1).float()
        # The head is in float32, as that of ours.
        with torch.autocast("cpu", enabled=False):
            packed = torch.nn.utils.rnn.pack_padded_sequence(
                self.dropout(states),
                inputs["attention_mask"].sum(1),
                batch_first=True,
                enforce_sorted=False,
            )
            _, (last, _) = self.lstms(packed)
            both = torch.cat([last[-2], last[-1]], -1)
            logits = self.logits(self.dropout(both))
        loss = None
        if labels is not None:
            loss = torch.nn.functional.cross_entropy(logits, labels)
        return types.SimpleNamespace(loss=loss, logits=logits)
