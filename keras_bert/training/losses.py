"""What pre-training minimizes and reports, one definition for every loop."""

import keras

from keras_bert.training.cross_entropy import SparseCrossEntropy


def pretraining_losses():
    """The losses of `bert_pretrainer`, by output.

    The masked-LM loss is the mean over the real predictions of the batch,
    the next-sentence loss the mean over its examples; the total is their sum.

    Returns:
        A dict of Keras losses for `compile(loss=...)`, in float32.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1 and appendix A.2
    """
    return {
        name: SparseCrossEntropy(reduction="mean_with_sample_weight")
        for name in ("mlm_logits", "nsp_logits")
    }


def pretraining_metrics():
    """The accuracy of both tasks, weighted by real predictions.

    Returns:
        A dict of fresh Keras metrics by output, for
        `compile(weighted_metrics=...)`.
    """
    return {
        f"{task}_logits": keras.metrics.SparseCategoricalAccuracy(
            name=f"{task}_accuracy"
        )
        for task in ("mlm", "nsp")
    }
