"""Decorators that copy signatures and argument docs of other callables."""

import functools
import inspect
import re
import typing

_Function = typing.TypeVar("_Function", bound=typing.Callable)
_SECTION = re.compile(r"^Args:\n(?:(?: {4}.*)?\n)*", re.MULTILINE)
_REST = re.compile(r"^    \*\*.*\n(?:     .*\n)*", re.MULTILINE)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def parameters(function) -> dict[str, inspect.Parameter]:
    """Return the parameters of a callable by name, in order.

    The `**kwargs` of a constructor are replaced by the parameters of the next
    constructor in the method resolution order.
    """
    if not isinstance(function, type):
        return dict(inspect.signature(function).parameters)
    found = {}
    for base in function.__mro__:
        if "__init__" in vars(base):
            given = dict(inspect.signature(base.__init__).parameters)
            found = {**given, **found}
            rest = [x for x in given if given[x].kind in _VARIABLE]
            if not rest:
                break
            for name in rest:
                del found[name]
    found.pop("self", None)
    return found


def by_name(function, values: typing.Sequence) -> dict[str, typing.Any]:
    """Return positional arguments of a callable by name."""
    return dict(zip(parameters(function), values, strict=False))


def entries(function) -> dict[str, str]:
    """Return a dict mapping argument names to their entries in `Args:`.

    An entry for several names, such as "x, y: ...", is returned for each name.
    """
    section = _SECTION.search(f"{inspect.getdoc(function) or ''}\n")
    text = section[0] if section else ""
    parts = re.split(r"^ {4}(?=\S)", text, flags=re.MULTILINE)[1:]
    return {
        name: f"    {part.rstrip()}\n"
        for part in parts
        for name in part.partition(":")[0].split(", ")
    }


def describe(*others, omit=()) -> typing.Callable[[_Function], _Function]:
    """Return a decorator that adds the argument docs of other callables.

    The entry `**kwargs` in `Args:` is replaced by the entries of the others.

    Args:
        *others: documented classes or functions.
        omit: argument names to leave out.
    """

    def decorate(function):
        found = [x for other in others for x in entries(other).items()]
        taken = [x for name, x in found if name not in omit]
        function.__doc__ = _REST.sub(
            lambda _: "".join(dict.fromkeys(taken)),
            f"{inspect.getdoc(function) or ''}\n",
        ).rstrip()
        return function

    return decorate


def name_rest(other, omit=()) -> typing.Callable[[_Function], _Function]:
    """Return a decorator that replaces `**kwargs` by the arguments of `other`.

    It returns a copy of the function with these arguments in its signature
    and docstring.

    Args:
        other: documented class or function that receives the `**kwargs`.
        omit: argument names to leave out.
    """

    def decorate(function):
        function = inspect.unwrap(function)
        own = parameters(function)
        others = [
            parameter.replace(
                kind=inspect.Parameter.KEYWORD_ONLY,
                annotation=_plain(parameter.annotation),
            )
            for name, parameter in parameters(other).items()
            if name not in (*own, *omit)
        ]
        named = [x for x in own.values() if x.kind not in _VARIABLE]
        if "self" in own:  # Its type is for type checkers only.
            named[0] = named[0].replace(annotation=inspect.Parameter.empty)

        @functools.wraps(function)
        def copy(*args, **given):
            return function(*args, **given)

        result = inspect.signature(function).return_annotation
        signature = inspect.Signature([*named, *others])
        copy.__signature__ = signature.replace(return_annotation=result)
        return describe(other, omit=[*own, *omit])(copy)

    return decorate


def _plain(annotation):
    """Return the type of a field without its `keras_bert.checks.Check`."""
    is_checked = hasattr(annotation, "__metadata__")
    return annotation.__origin__ if is_checked else annotation
