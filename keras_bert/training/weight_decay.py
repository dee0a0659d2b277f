"""Which variables of a model decay."""


def decays(variable):
    """Whether weight decay applies: to matrices and embedding tables.

    Args:
        variable: `keras.Variable`. In some layers of Keras a bias has two
            axes, so its name counts as well.

    Returns:
        bool
    """
    return len(variable.shape) > 1 and variable.name != "bias"
