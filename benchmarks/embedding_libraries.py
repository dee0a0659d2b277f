"""Training of one embedder in this process, for `embedding_training.py`.

A library is imported when it is used, so that the Python of the peer needs only
the peer.
"""

import json
import pathlib
import resource
import time

import numpy as np

_NUM_WARM_UP = 3
_REGULARIZERS = 3e-5, 5e-5  # Weights of documents and of queries.


def measure(library, directory):
    """Train an embedder, write the vectors to evaluate, and print figures.

    Args:
        library: str, a key of `_TRAINERS`.
        directory: directory with `work.json`. `vectors.npy` is written to it,
            for a sparse embedder `vectors.npz`, and for late interaction
            `query.npz` and `document.npz`.
    """
    work = json.loads(pathlib.Path(directory, "work.json").read_text())
    clock = _Clock(sum(work["batches"], []))
    embed = _TRAINERS[library](work, clock)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figures = {"peak_mib": peak, "per_s": clock.per_s(), "loss": clock.loss}
    directory = pathlib.Path(directory)
    if work["kind"] == "late":
        for name in ("query", "document"):
            rows = embed[name](work["evaluation"])
            np.savez(
                directory / f"{name}.npz",
                values=np.concatenate([*rows]),
                lengths=[*map(len, rows)],
            )
    elif work["kind"] == "sparse":
        import scipy.sparse

        vectors = scipy.sparse.csr_array(embed(work["evaluation"]))
        scipy.sparse.save_npz(directory / "vectors.npz", vectors)
        figures["active"] = vectors.nnz / vectors.shape[0]
    else:
        np.save(directory / "vectors.npy", embed(work["evaluation"]))
    print(json.dumps(figures))


class _Clock:
    """Processor time at the end of each step, and the mean loss.

    Args:
        batches: list of lists of indices.
    """

    def __init__(self, batches):
        self.sizes = [*map(len, batches)]
        self.times = []
        self.loss = None

    def tick(self):
        """Record the end of a step."""
        self.times.append(time.process_time())

    def per_s(self):
        """Return the examples per second after the first steps, or None."""
        if not self.times:
            return None
        if len(self.times) != len(self.sizes):
            raise ValueError(
                f"Expected {len(self.sizes)} steps, got {len(self.times)}."
            )
        seconds = self.times[-1] - self.times[_NUM_WARM_UP - 1]
        return sum(self.sizes[_NUM_WARM_UP:]) / seconds


def _untrained(work, clock):
    return _embedding(_our_embedder(work), work)


def _ours(work, clock):
    import keras

    import keras_bert

    embedder = _our_embedder(work)
    is_scored = work["labels"] is not None
    loss = keras_bert.losses.MultipleNegativesRankingLoss()
    if work["kind"] == "late":
        loss = None
    elif work["kind"] == "sparse":
        ranking = keras_bert.losses.MultipleNegativesRankingLoss(
            scale=1.0, similarity="dot"
        )
        loss = keras_bert.losses.SpladeLoss(ranking, *_REGULARIZERS)
    history = embedder.fit(
        work["texts"],
        work["labels"],
        loss=keras_bert.losses.CoSENTLoss() if is_scored else loss,
        no_duplicates=not is_scored,
        callbacks=[
            keras.callbacks.LambdaCallback(
                on_train_batch_end=lambda batch, logs: clock.tick()
            )
        ],
        verbose=0,
        **work["recipe"],
    )
    clock.loss = history.history["loss"][-1]
    return _embedding(embedder, work)


def _embedding(embedder, work):
    """Return a function of texts, or one for queries and one for documents."""
    if work["kind"] != "late":
        return embedder.embed
    return {
        "query": embedder.embed_query,
        "document": embedder.embed_document,
    }


def _our_embedder(work):
    import tensorflow as tf

    import keras_bert

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    return getattr(keras_bert, work["embedder"]).from_pretrained(
        work["model_dir"], seq_length=work["seq_length"]
    )


def _sentence_transformers(work, clock):
    import sentence_transformers
    import torch

    torch.set_num_threads(1)
    name = {
        "dense": "SentenceTransformer",
        "sparse": "SparseEncoder",
        "late": "MultiVectorEncoder",
    }[work["kind"]]
    kind, arguments_kind, trainer_kind = (
        getattr(sentence_transformers, name + part)
        for part in ("", "TrainingArguments", "Trainer")
    )
    model = kind(work["model_dir"], device="cpu")
    if work["kind"] == "late":
        from sentence_transformers.multi_vector_encoder import losses

        loss = losses.MultiVectorMultipleNegativesRankingLoss(model)
    elif work["kind"] == "sparse":
        from sentence_transformers.sparse_encoder import losses

        model.max_seq_length = work["seq_length"]
        ranking = losses.SparseMultipleNegativesRankingLoss(model)
        loss = losses.SpladeLoss(model, ranking, *_REGULARIZERS)
    else:
        from sentence_transformers.sentence_transformer import losses

        model.max_seq_length = work["seq_length"]
        is_scored = work["labels"] is not None
        loss = losses.MultipleNegativesRankingLoss(model)
        loss = losses.CoSENTLoss(model) if is_scored else loss
    arguments = {}
    if work["kind"] == "late":  # Training adds no prompts otherwise.
        names = {"anchor": "query", "positive": "document"}
        prompts = {key: model.prompts[name] for key, name in names.items()}
        arguments = {"prompts": prompts}
    _train(model, loss, arguments_kind, trainer_kind, work, clock, arguments)
    if work["kind"] == "late":
        options = {"convert_to_numpy": True}
        return {
            "query": lambda texts: model.encode_query(texts, **options),
            "document": lambda texts: model.encode_document(texts, **options),
        }
    is_sparse = work["kind"] == "sparse"
    return _sparse_encoding(model) if is_sparse else model.encode


def _pylate(work, clock):
    import sentence_transformers
    import torch
    from pylate import losses
    from pylate import models
    from pylate import utils

    torch.set_num_threads(1)
    model = models.ColBERT(work["model_dir"], device="cpu")
    _train(
        model,
        losses.Contrastive(model),
        sentence_transformers.SentenceTransformerTrainingArguments,
        sentence_transformers.SentenceTransformerTrainer,
        work,
        clock,
        data_collator=utils.ColBERTCollator(model.tokenize),
    )
    return {
        "query": lambda texts: model.encode(texts, is_query=True),
        "document": lambda texts: model.encode(texts, is_query=False),
    }


def _train(
    model,
    loss,
    arguments_kind,
    trainer_kind,
    work,
    clock,
    arguments=None,
    **options,
):
    """Train a model of sentence-transformers, also of PyLate."""
    import datasets
    import transformers

    recorded = []

    def record(module, inputs, output):
        parts = output.values() if isinstance(output, dict) else [output]
        recorded.append(sum(part.item() for part in parts))

    loss.register_forward_hook(record)
    anchors, positives = zip(*work["texts"], strict=True)
    columns = {"anchor": anchors, "positive": positives}
    if work["labels"] is not None:
        columns["score"] = work["labels"]

    class Ticks(transformers.TrainerCallback):
        def on_step_end(self, *_, **__):
            clock.tick()

    own_arguments = arguments_kind(
        work["model_dir"] + "/peer",
        num_train_epochs=work["recipe"]["epochs"],
        seed=work["recipe"]["seed"],
        max_grad_norm=1.0,
        batch_sampler=lambda *_, **__: _Batches(work["batches"]),
        report_to="none",
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
        **(arguments or {}),
    )
    trainer_kind(
        model,
        own_arguments,
        datasets.Dataset.from_dict(columns),
        loss=loss,
        optimizers=_optimizer(model, work),
        callbacks=[Ticks()],
        **options,
    ).train()
    count = len(work["batches"][-1])
    clock.loss = float(
        np.average(recorded[-count:], weights=clock.sizes[-count:])
    )
    model.eval()


def _sparse_encoding(model):
    """Return a function that encodes texts as a sparse array of SciPy."""

    def encode(texts):
        import scipy.sparse

        vectors = model.encode(texts).coalesce().cpu()
        return scipy.sparse.csr_array(
            (vectors.values().numpy(), vectors.indices().numpy()),
            shape=tuple(vectors.shape),
        )

    return encode


class _Batches:
    """Batch sampler that returns the given batches of each epoch in order."""

    batch_size = None
    drop_last = False
    sampler = None

    def __init__(self, epochs):
        self.epochs = epochs
        self._next = 0

    def __len__(self):
        return len(self.epochs[0])

    def set_epoch(self, epoch):
        """Called by accelerate before each epoch."""

    def __iter__(self):
        self._next += 1
        return iter(self.epochs[self._next - 1])


def _optimizer(model, work):
    import torch

    recipe, steps = work["recipe"], sum(map(len, work["batches"]))
    decaying = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [
            {"params": decaying, "weight_decay": recipe["weight_decay"]},
            {"params": others, "weight_decay": 0.0},
        ],
        lr=recipe["learning_rate"],
        eps=1e-6,
    )
    num_warmup = int(steps * recipe["warmup"])

    def rate(step):
        return step / num_warmup if step < num_warmup else 1 - step / steps

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, rate)


_TRAINERS = {
    "untrained": _untrained,
    "ours": _ours,
    "sentence_transformers": _sentence_transformers,
    "pylate": _pylate,
}
