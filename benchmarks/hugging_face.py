"""Fine-tuning with transformers and torch, for `fine_tune.py`.

The recipe: batches of 32 texts of similar length, dynamic padding, AdamW with
weight decay 0.01 except for biases and LayerNorm, warmup over a tenth of the
steps, gradients clipped to norm 1, bfloat16 by autocast. The learning rate
follows google-research/bert: its linear decay starts at step 0, not at the end
of the warmup as in transformers.
"""

import functools
import random
import time
import types

import torch
import transformers

_BATCH_SIZE = 32
_BATCHES_SORTED_TOGETHER = 50
_PREDICTION_BATCH_SIZE = 64
_PIPELINE_BATCH_SIZES = (1, 8, 32, 128)
_NUM_WARM_UP = 64
_NO_LABEL = -100
# Sizes of the head on frozen features.
_NUM_LAYERS, _NUM_LSTMS, _DROPOUT = 4, 2, 0.5
# Settings of question answering.
_DOC_STRIDE, _MAX_QUERY_LENGTH, _MAX_ANSWER_LENGTH, _N_BEST = 128, 64, 30, 20


class HuggingFace:
    """Build, fit and run models of one task with transformers."""

    def __init__(self, model_dir, recipe, precision):
        transformers.logging.set_verbosity_error()
        self.model_dir = model_dir
        self.rate = recipe["learning_rate"]
        tokenizer = transformers.AutoTokenizer.from_pretrained(model_dir)
        kinds = {
            "texts": Texts,
            "features": Features,
            "words": Words,
            "choices": Choices,
            "questions": Questions,
        }
        self.task = kinds[recipe["kind"]](tokenizer, recipe)
        # One autocast context per step, because it caches bfloat16 weights.
        self.autocast = functools.partial(
            torch.autocast,
            "cpu",
            torch.bfloat16,
            enabled=precision == "bfloat16",
        )

    def make(self, seed):
        torch.manual_seed(seed)
        return self.task.make(self.model_dir)

    def fit(self, model, inputs, labels, epochs, seed):
        _fit(
            model,
            self.task,
            self.autocast,
            inputs,
            labels,
            epochs,
            self.rate,
            seed,
        )

    def predict(self, model, inputs):
        with self.autocast():
            return _predict(model, self.task, inputs)


def _fit(model, task, autocast, inputs, labels, epochs, rate, seed):
    model.train()
    decaying = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [
            {"params": decaying, "weight_decay": 0.01},
            {"params": others, "weight_decay": 0.0},
        ],
        lr=rate,
        eps=1e-6,
    )
    rows = task.rows(inputs, labels)
    lengths = [*map(task.length, rows)]
    steps = -(-len(rows) // _BATCH_SIZE) * epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        functools.partial(_rate, num_warmup_steps=steps // 10, num_steps=steps),
    )
    generator = random.Random(seed)
    for _ in range(epochs):
        for batch in _batches(lengths, generator):
            some = [rows[index] for index in batch]
            with autocast():
                outputs = model(**task.padded(some), **task.targets(some))
            outputs.loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()


def _rate(step, num_warmup_steps, num_steps):
    """Return the learning rate as a share of its peak."""
    if step < num_warmup_steps:
        return step / num_warmup_steps
    return 1 - step / num_steps


def _batches(lengths, generator):
    order = list(range(len(lengths)))
    generator.shuffle(order)
    size = _BATCH_SIZE * _BATCHES_SORTED_TOGETHER
    batches = []
    for start in range(0, len(order), size):
        group = sorted(order[start : start + size], key=lengths.__getitem__)
        batches += [
            group[at : at + _BATCH_SIZE]
            for at in range(0, len(group), _BATCH_SIZE)
        ]
    generator.shuffle(batches)
    return batches


def _predict(model, task, inputs):
    """Return predictions, computed in batches sorted by length."""
    model.eval()
    rows = task.rows(inputs)
    order = sorted(range(len(rows)), key=lambda i: task.length(rows[i]))
    found = [None] * len(rows)
    with torch.inference_mode():
        for at in range(0, len(order), _PREDICTION_BATCH_SIZE):
            batch = order[at : at + _PREDICTION_BATCH_SIZE]
            outputs = model(**task.padded([rows[index] for index in batch]))
            for index, value in zip(batch, task.read(outputs), strict=True):
                found[index] = value
    return task.answers(inputs, rows, found)


def pipeline_speed(model_dir, recipe, splits, precision):
    """Return the best speed of a pipeline that labels the test split.

    Several batch sizes are tried, in file order and sorted by the number of
    characters, because a pipeline pads to the longest text of a batch. The
    head is random, which does not change the time.
    """
    transformers.logging.set_verbosity_error()
    label = transformers.pipeline(
        "text-classification",
        model=model_dir,
        tokenizer=model_dir,
        dtype=getattr(torch, precision),
        device="cpu",
    )
    texts, _ = splits["test"]
    best = {"predict_per_s": 0.0}
    for order, some in (("file", texts), ("sorted", sorted(texts, key=len))):
        for batch_size in _PIPELINE_BATCH_SIZES:
            options = {
                "batch_size": batch_size,
                "truncation": True,
                "max_length": recipe["seq_length"],
            }
            label(some[:_NUM_WARM_UP], **options)
            start = time.perf_counter()
            label(some, **options)
            rate = len(some) / (time.perf_counter() - start)
            if rate > best["predict_per_s"]:
                best = {
                    "predict_per_s": rate,
                    "order": order,
                    "batch_size": batch_size,
                }
    return best


class Texts:
    """Model, inputs and outputs of text classification.

    Args:
        tokenizer: tokenizer of transformers.
        recipe: dict, the recipe.json of `fine_tuning_tasks.write_task`.
    """

    kind = transformers.AutoModelForSequenceClassification

    def __init__(self, tokenizer, recipe):
        self.tokenizer = tokenizer
        self.seq_length = recipe["seq_length"]
        self.names = recipe["labels"]

    def make(self, model_dir):
        """Return a model with a new head."""
        options = {"num_labels": len(self.names)} if self.names else {}
        return self.kind.from_pretrained(model_dir, **options)

    def rows(self, inputs, labels=None):
        """Convert inputs to rows for the model.

        Args:
            inputs: list of inputs of the task.
            labels: list, or None to predict.

        Returns:
            A list of dicts with `ids`, a dict of lists of int, and, if there
            are labels, the entries that `targets` reads.
        """
        is_pair = not isinstance(inputs[0], str)
        columns = zip(*inputs, strict=True) if is_pair else [inputs]
        rows = self.encode(*map(list, columns))
        # Labels are missing when predicting.
        for row, label in zip(rows, labels or [], strict=False):
            row["label"] = self.names.index(label)
        return rows

    def encode(self, *texts, **options):
        """Encode texts, pairs or words as dicts with `ids` and `words`."""
        encoded = self.tokenizer(
            *texts, truncation=True, max_length=self.seq_length, **options
        )
        return [
            {
                "ids": dict(zip(encoded, values, strict=True)),
                "words": encoded.word_ids(index),
            }
            for index, values in enumerate(zip(*encoded.values(), strict=True))
        ]

    def length(self, row):
        """Return the length of a row in tokens."""
        return len(row["ids"]["input_ids"])

    def padded(self, rows):
        """Return a padded batch, a dict of tensors."""
        return self.tokenizer.pad(
            [row["ids"] for row in rows], return_tensors="pt"
        )

    def targets(self, rows):
        """Return the labels as training arguments of the model."""
        return {"labels": torch.tensor([row["label"] for row in rows])}

    def read(self, outputs):
        """Return the index of the best output of each row."""
        return outputs.logits.argmax(-1).tolist()

    def answers(self, inputs, rows, found):
        """Return the predictions, serializable as JSON.

        Args:
            inputs: list of inputs of the task.
            rows: list, returned by `rows`.
            found: list with the result of `read` for each row.
        """
        return [self.names[place] for place in found]


class Choices(Texts):
    """Multiple choice; a row has the ids of all choices of a question."""

    kind = transformers.AutoModelForMultipleChoice

    def rows(self, inputs, labels=None):
        rows = [
            {"choices": self.encode([context] * len(choices), choices)}
            for context, choices in inputs
        ]
        # Labels are missing when predicting.
        for row, label in zip(rows, labels or [], strict=False):
            row["label"] = label
        return rows

    def length(self, row):
        return max(len(choice["ids"]["input_ids"]) for choice in row["choices"])

    def padded(self, rows):
        flat = [choice for row in rows for choice in row["choices"]]
        return {
            name: values.reshape(len(rows), -1, values.shape[-1])
            for name, values in super().padded(flat).items()
        }

    def answers(self, inputs, rows, found):
        return found


class Features(Texts):
    def make(self, model_dir):
        """Return the frozen encoder with a new head."""
        encoder = transformers.AutoModel.from_pretrained(model_dir)
        return _FeatureClassifier(encoder, len(self.names))


class _FeatureClassifier(torch.nn.Module):
    """`keras_bert.tasks.FeatureTextClassifier` with the layers of torch."""

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
        """Return the logits, and the loss if there are labels."""
        with torch.no_grad():
            outputs = self.encoder(**inputs, output_hidden_states=True)
        states = torch.cat(outputs.hidden_states[-_NUM_LAYERS:], -1).float()
        # The head is in float32, like ours.
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


class Words(Texts):
    """Token classification; the first piece of a word gives its label.

    Words that are truncated or have no piece get the first label, "O".
    """

    kind = transformers.AutoModelForTokenClassification

    def rows(self, inputs, labels=None):
        rows = self.encode(inputs, is_split_into_words=True)
        for row in rows:
            row["firsts"] = _firsts(row["words"])
        # Labels are missing when predicting.
        for row, tags in zip(rows, labels or [], strict=False):
            row["label"] = [_NO_LABEL] * self.length(row)
            for word, place in row["firsts"].items():
                row["label"][place] = self.names.index(tags[word])
        return rows

    def targets(self, rows):
        width = max(map(self.length, rows))
        labels = [
            row["label"] + [_NO_LABEL] * (width - len(row["label"]))
            for row in rows
        ]
        return {"labels": torch.tensor(labels)}

    def answers(self, inputs, rows, found):
        return [
            [
                self.names[places[row["firsts"][word]]]
                if word in row["firsts"]
                else self.names[0]
                for word in range(len(words))
            ]
            for words, row, places in zip(inputs, rows, found, strict=True)
        ]


def _firsts(words):
    """Return the position of the first piece of each word."""
    places = {}
    for place, word in enumerate(words):
        if word is not None:
            places.setdefault(word, place)
    return places


class Questions(Texts):
    """Question answering; a row is a question and a window of its context.

    Windows start every 128 tokens. A window without the whole answer is
    labelled [CLS]. If the training set has unanswerable questions, the answer
    is empty when [CLS] scores better than all spans.
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
        question_ids = tokenize(question, add_special_tokens=False)["input_ids"]
        question_ids = question_ids[:_MAX_QUERY_LENGTH]
        text = tokenize(
            context, add_special_tokens=False, return_offsets_mapping=True
        )
        ids, offsets = text["input_ids"], text["offset_mapping"]
        begin = [tokenize.cls_token_id, *question_ids, tokenize.sep_token_id]
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
    """Return the first and last token position of the first answer.

    Both are 0, the position of [CLS], if the answer is not in the window.
    """
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
    """Yield the score and the character offsets of the best spans."""
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
