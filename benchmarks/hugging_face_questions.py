"""Questions about texts with transformers."""

import torch
import transformers
from hugging_face_texts import Texts

_DOC_STRIDE = 128
_MAX_QUERY_LENGTH = 64
_MAX_ANSWER_LENGTH = 30
_N_BEST = 20


class Questions(Texts):
    """As `Texts`; a row is a window of a context, after its question.

    Windows begin every 128 tokens. One without the whole answer learns [CLS],
    and [CLS] is the answer where it scores better than all spans, if some
    questions that were learned from have none.
    """

    kind = transformers.AutoModelForQuestionAnswering
    has_impossible = False

    def rows(self, inputs, labels=None):
        rows = []
        if labels:
            self.has_impossible = not all(labels)
        for index, (question, context) in enumerate(inputs):
            for row in self._windows(question, context):
                row["question"] = index
                if labels:
                    row["label"] = _places(row, labels[index])
                rows.append(row)
        return rows

    def _windows(self, question, context):
        tokenize = self.tokenizer
        asked = tokenize(question, add_special_tokens=False)["input_ids"]
        asked = asked[:_MAX_QUERY_LENGTH]
        text = tokenize(
            context, add_special_tokens=False, return_offsets_mapping=True
        )
        ids, offsets = text["input_ids"], text["offset_mapping"]
        begin = [tokenize.cls_token_id, *asked, tokenize.sep_token_id]
        room = self.seq_length - len(begin) - 1
        for start in range(0, len(ids), _DOC_STRIDE):
            window = [*ids[start : start + room], tokenize.sep_token_id]
            yield {
                "ids": {
                    "input_ids": begin + window,
                    "token_type_ids": [0] * len(begin) + [1] * len(window),
                    "attention_mask": [1] * (len(begin) + len(window)),
                },
                "first": len(begin),
                "offsets": offsets[start : start + room],
            }
            if start + room >= len(ids):
                return

    def targets(self, rows):
        starts, ends = zip(*(row["label"] for row in rows), strict=True)
        return {
            "start_positions": torch.tensor(starts),
            "end_positions": torch.tensor(ends),
        }

    def read(self, outputs):
        logits = outputs.start_logits, outputs.end_logits
        return [
            *zip(*(values.float().tolist() for values in logits), strict=True)
        ]

    def answers(self, inputs, rows, found):
        best = [(-float("inf"), "")] * len(inputs)
        null = [float("inf")] * len(inputs)
        for row, (starts, ends) in zip(rows, found, strict=True):
            index = row["question"]
            context = inputs[index][1]
            null[index] = min(null[index], starts[0] + ends[0])
            for score, start, end in _spans(row, starts, ends):
                if score > best[index][0]:
                    best[index] = score, context[start:end]
        return [
            "" if self.has_impossible and none > score else text
            for (score, text), none in zip(best, null, strict=True)
        ]


def _places(row, answers):
    """The first and the last token of the first answer, or [CLS] twice."""
    if not answers:
        return 0, 0
    text, begin = answers[0]
    inside = [
        place
        for place, (start, end) in enumerate(row["offsets"], row["first"])
        if start < begin + len(text) and end > begin
    ]
    offsets = row["offsets"]
    is_whole = offsets[0][0] <= begin and begin + len(text) <= offsets[-1][1]
    return (inside[0], inside[-1]) if inside and is_whole else (0, 0)


def _spans(row, starts, ends):
    """Yields the best spans: their scores, first and end characters."""
    offsets, first = row["offsets"], row["first"]
    places = range(first, first + len(offsets))
    firsts, lasts = (
        sorted(places, key=values.__getitem__, reverse=True)[:_N_BEST]
        for values in (starts, ends)
    )
    for a in firsts:
        for b in lasts:
            if a <= b < a + _MAX_ANSWER_LENGTH:
                score = starts[a] + ends[b]
                yield score, offsets[a - first][0], offsets[b - first][1]
