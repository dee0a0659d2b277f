"""LoRA adapters for the attention layers."""

from keras_bert.checkpoints.formats.peft import record_base_weights
from keras_bert.layers.flat_dense import dense_layers

_FUSED = "query_key_value"


def add_adapters(backbone, rank):
    """Add a LoRA adapter to the query-key-value projection of each block.

    Blocks that already have adapters of this rank keep them. A projection has
    one adapter with `4 * hidden_size * rank` weights, as many as the separate
    adapters for query and value in the paper.

    Args:
        backbone: `Backbone`.
        rank: int, rank of the adapters.

    Raises:
        ValueError: the blocks have no such projection, or have adapters with a
            different rank.

    References:
        [LoRA](https://arxiv.org/abs/2106.09685), section 4.2
    """
    blocks = {id(block): block for block in backbone.blocks}.values()
    layers = [
        layer
        for block in blocks
        for layer in dense_layers(block)
        if layer.name == _FUSED
    ]
    if not layers:
        raise ValueError(
            "`lora_rank` is supported only for blocks with one kernel for "
            f"query, key and value. Received: lora_rank={rank}, {len(blocks)} "
            "other blocks."
        )
    for layer in layers:
        if layer.lora_enabled and layer.lora_rank != rank:
            raise ValueError(
                f"The model has adapters of rank {layer.lora_rank}. Train them "
                "with the same `lora_rank`, or save and load the model to "
                f"merge them into its kernels. Received: lora_rank={rank}."
            )
    if not any(layer.lora_enabled for layer in layers):
        record_base_weights(backbone)
    for layer in layers:
        if not layer.lora_enabled:
            layer.enable_lora(rank)


def is_adapter(variable):
    """Return True if a variable belongs to an adapter."""
    return variable.name.startswith("lora_")
