"""Model for serving with the weights as graph constants."""

import keras
import tensorflow as tf

from keras_bert import features
from keras_bert.export.packed_model import packed_model
from keras_bert.export.packed_model import row_lengths

_TOKENS = [feature.name for feature in features.ENCODER_INPUTS]
_NARROW = tf.bfloat16.as_numpy_dtype


class ServedModel:
    """Model in graph mode that skips most of the padding.

    Rows of similar length are computed together, so that the time depends on
    the number of tokens, not on the longest text.

    Args:
        model: `keras.Model` that takes and returns a dict of tensors with a
            row for each example.
        batch_tokens: int, approximate number of tokens computed together.

    Call arguments:
        inputs: dict of the model's tensors, including `input_mask`, int32
            `(batch_size, ..., seq_length)`.

    Returns:
        A dict of the model's outputs. Outputs after the last token of a row
        are arbitrary.
    """

    def __init__(self, model, batch_tokens):
        self.input = model.input
        self._model = packed_model(model)
        self.weights = ConstantWeights(self._model)
        self._batch_tokens = batch_tokens
        self._token_axes = _token_axes(model)

    def __call__(self, inputs):
        mask = inputs[features.INPUT_MASK.name]
        lengths = row_lengths(mask)
        order = tf.argsort(lengths, direction="DESCENDING", stable=True)
        groups = self._groups(tf.gather(lengths, order), tf.shape(mask))
        # Even an empty batch needs one group, which determines the shapes.
        num_groups = tf.reduce_max(tf.concat([groups, [0]], axis=0)) + 1
        names = sorted(self._token_axes)

        def step(group, arrays):
            rows = tf.boolean_mask(order, tf.equal(groups, group))
            outputs = self._outputs(inputs, rows, lengths, tf.shape(mask)[-1])
            arrays = [
                array.write(group, outputs[name])
                for name, array in zip(names, arrays, strict=True)
            ]
            return group + 1, arrays

        arrays = [
            tf.TensorArray(
                self._model.output[name].dtype, num_groups, infer_shape=False
            )
            for name in names
        ]
        _, arrays = tf.while_loop(
            lambda group, _: group < num_groups, step, (0, arrays)
        )
        inverse_order = tf.argsort(order)
        return {
            name: tf.ensure_shape(
                tf.gather(array.concat(), inverse_order),
                self._model.output[name].shape,
            )
            for name, array in zip(names, arrays, strict=True)
        }

    def _groups(self, lengths, shape):
        """Return the group index of each row, int32, in ascending order."""
        num_tokens = lengths * tf.reduce_prod(shape[1:-1])
        total = tf.maximum(tf.reduce_sum(num_tokens), 1)
        num_groups = _quotient_up(total, self._batch_tokens)
        before = tf.cumsum(num_tokens, exclusive=True)
        return before // _quotient_up(total, num_groups)

    def _outputs(self, inputs, rows, lengths, seq_length):
        """Compute the outputs of some rows, trimmed to the longest of them."""
        lengths = tf.concat([tf.gather(lengths, rows), [1]], axis=0)
        length = tf.reduce_max(lengths)
        inputs = {name: tf.gather(x, rows) for name, x in inputs.items()}
        for name in inputs.keys() & {*_TOKENS}:
            inputs[name] = inputs[name][..., :length]
        # Read the weights inside the loop. Outside, they are not constants.
        with self.weights.scope():
            outputs = self._model(inputs, training=False)
        # Pad outputs for each token to the original length.
        for name, axis in self._token_axes.items():
            if axis is not None:
                paddings = [[0, 0] for _ in outputs[name].shape]
                paddings[axis][1] = seq_length - length
                outputs[name] = tf.pad(outputs[name], paddings)
        return outputs


def _quotient_up(a, b):
    return (a + b - 1) // b


def _token_axes(model):
    """Map each output name to the index of its token axis, or to None."""
    shorter, longer = (
        model.compute_output_spec(
            {
                name: keras.KerasTensor(_with_length(name, x.shape, n), x.dtype)
                for name, x in model.input.items()
            }
        )
        for n in (3, 4)
    )
    return {
        name: next(
            (
                axis
                for axis, sizes in enumerate(
                    zip(x.shape, longer[name].shape, strict=True)
                )
                if sizes == (3, 4)
            ),
            None,
        )
        for name, x in shorter.items()
    }


def _with_length(name, shape, length):
    """Set the token axis of a shape to `length` and unknown sizes to 2."""
    shape = [size or 2 for size in shape]
    return [*shape[:-1], length] if name in _TOKENS else shape


class ConstantWeights:
    """Weights of a bfloat16 model as graph constants.

    TensorFlow reorders the matrix of a bfloat16 product once if it is a
    constant, but in every call if it is a variable. Constants halve the time of
    inference. A float32 model has no constants, because they would not be
    faster and would need several times the memory.

    Args:
        model: `keras.Model`. A weight that is only used in bfloat16, as with
            the policy "mixed_bfloat16", is stored in bfloat16.
    """

    def __init__(self, model):
        dtypes = _used_dtypes(model)
        self._arrays = [
            (variable, variable.numpy().astype(dtype))
            for variable, dtype in zip(model.variables, dtypes, strict=True)
            if _NARROW in dtypes
        ]

    @property
    def num_bytes(self):
        return sum(array.nbytes for _, array in self._arrays)

    def scope(self):
        """Context manager that replaces variables by constants in graphs."""
        return keras.StatelessScope(
            [
                (variable, tf.cast(tf.constant(array), variable.dtype))
                for variable, array in self._arrays
            ]
        )


def _used_dtypes(model):
    """Return the dtype in which a model uses each variable."""
    with tf.Graph().as_default():
        values = [
            (variable, tf.compat.v1.placeholder(variable.dtype, variable.shape))
            for variable in model.variables
        ]
        inputs = {
            name: tf.zeros([2] * len(tensor.shape), tensor.dtype)
            for name, tensor in model.input.items()
        }
        with keras.StatelessScope(values):
            model(inputs, training=False)
        return [_used_dtype(value) for _, value in values]


def _used_dtype(tensor):
    """Return the dtype that all uses of a tensor cast it to, or its own."""
    used = {
        op.get_attr("DstT") if op.type == "Cast" else tensor.dtype
        for op in tensor.consumers()
    }
    is_narrow = used == {tf.bfloat16}
    return _NARROW if is_narrow else tensor.dtype.as_numpy_dtype


def use_narrow_constants(nodes):
    """Remove the casts of bfloat16 constants from `NodeDef`s, in place.

    Keras casts the constant of a float32 variable to float32 and back to
    bfloat16. With these casts, TensorFlow does not detect the constant, and
    reorders it in every call.
    """
    known = {node.name: node for node in nodes}

    def origin(name):
        return known.get(name.split(":")[0])

    for node in nodes:
        for index, name in enumerate(node.input):
            narrowed = origin(name)
            if not _is_cast(narrowed, tf.bfloat16):
                continue
            widened = origin(narrowed.input[0])
            if not _is_cast(widened, tf.float32):
                continue
            constant = origin(widened.input[0])
            if constant is not None and constant.op == "Const":
                node.input[index] = widened.input[0]


def _is_cast(node, dtype):
    is_cast = node is not None and node.op == "Cast"
    return is_cast and node.attr["DstT"].type == dtype.as_datatype_enum
