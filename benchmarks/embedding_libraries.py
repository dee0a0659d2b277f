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
        directory: directory with `work.json`; `vectors.npy`, or for a sparse
            embedder `vectors.npz`, is written to it.
    """
    work = json.loads(pathlib.Path(directory, "work.json").read_text())
    clock = _Clock(work["batches"])
    embed = _TRAINERS[library](work, clock)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figures = {"peak_mib": peak, "per_s": clock.per_s(), "loss": clock.loss}
    vectors = embed(work["evaluation"])
    if work["sparse"]:
        import scipy.sparse

        vectors = scipy.sparse.csr_array(vectors)
        scipy.sparse.save_npz(pathlib.Path(directory, "vectors.npz"), vectors)
        figures["active"] = vectors.nnz / vectors.shape[0]
    else:
        np.save(pathlib.Path(directory, "vectors.npy"), vectors)
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
    return _our_embedder(work).embed


def _ours(work, clock):
    import keras

    import keras_bert

    embedder = _our_embedder(work)
    is_scored = work["labels"] is not None
    loss = keras_bert.losses.MultipleNegativesRankingLoss()
    if work["sparse"]:
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
    (clock.loss,) = history.history["loss"]
    return embedder.embed


def _our_embedder(work):
    import tensorflow as tf

    import keras_bert

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    kind = (
        keras_bert.SparseEmbedder if work["sparse"] else keras_bert.TextEmbedder
    )
    return kind.from_pretrained(
        work["model_dir"], seq_length=work["seq_length"]
    )


def _sentence_transformers(work, clock):
    import datasets
    import sentence_transformers
    import torch
    import transformers
    from sentence_transformers.sentence_transformer import losses

    torch.set_num_threads(1)
    name = "SparseEncoder" if work["sparse"] else "SentenceTransformer"
    kind, arguments_kind, trainer_kind = (
        getattr(sentence_transformers, name + part)
        for part in ("", "TrainingArguments", "Trainer")
    )
    model = kind(work["model_dir"], device="cpu")
    model.max_seq_length = work["seq_length"]
    is_scored = work["labels"] is not None
    if work["sparse"]:
        from sentence_transformers.sparse_encoder import losses as sparse_losses

        ranking = sparse_losses.SparseMultipleNegativesRankingLoss(model)
        loss = sparse_losses.SpladeLoss(model, ranking, *_REGULARIZERS)
    elif is_scored:
        loss = losses.CoSENTLoss(model)
    else:
        loss = losses.MultipleNegativesRankingLoss(model)
    recorded = []

    def record(module, inputs, output):
        parts = output.values() if isinstance(output, dict) else [output]
        recorded.append(sum(part.item() for part in parts))

    loss.register_forward_hook(record)
    anchors, positives = zip(*work["texts"], strict=True)
    columns = {"anchor": anchors, "positive": positives}
    if is_scored:
        columns["score"] = work["labels"]

    class Ticks(transformers.TrainerCallback):
        def on_step_end(self, *_, **__):
            clock.tick()

    arguments = arguments_kind(
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
    )
    trainer_kind(
        model,
        arguments,
        datasets.Dataset.from_dict(columns),
        loss=loss,
        optimizers=_optimizer(model, work),
        callbacks=[Ticks()],
    ).train()
    clock.loss = float(np.average(recorded, weights=clock.sizes))
    model.eval()
    return _sparse_encoding(model) if work["sparse"] else model.encode


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
    """Batch sampler that returns the given batches in order."""

    batch_size = None
    drop_last = False
    sampler = None

    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        return iter(self.batches)


def _optimizer(model, work):
    import torch

    recipe, steps = work["recipe"], len(work["batches"])
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
}
