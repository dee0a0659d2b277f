"""Flag definitions for the fields of a dataclass."""

import dataclasses
import inspect
import re

from keras_bert import checks
from keras_bert import command_line

_ENTRIES = re.compile(r"^    (\w+(?:, \w+)*): (.*(?:\n {5,}.*)*)", re.MULTILINE)


class FieldFlags:
    """Flags for the fields of a dataclass.

    The help of a flag is the description of the field in the `Args` section
    of the docstring. A field without a default is required. The optional
    class attribute `groups` maps the first field of a group to the title of
    the group in the manual.

    Args:
        program: `Program`.
        options: dataclass type.
        left_out: names of fields without a flag.
        **defaults: defaults that override the dataclass.

    Attributes:
        holders: dict mapping field names to flag holders, as returned by
            `flags.DEFINE_...`.
    """

    def __init__(self, program, options, left_out=(), **defaults):
        self._options = options
        meanings = field_meanings(options)
        groups, title = getattr(options, "groups", {}), None
        self.holders = {}
        own = vars(options)["__annotations__"]
        for field in sorted(
            dataclasses.fields(options), key=lambda x: x.name not in own
        ):
            if field.name in left_out:
                continue
            define, more = _definer(program, field), []
            check = checks.check_of(field)
            if check and check.func is checks.one_of:
                define, more = program.enum, [[*check.args[0]]]
            is_required = field.default is dataclasses.MISSING
            default = None if is_required else field.default
            if isinstance(default, tuple):
                default = [*default]
            self.holders[field.name] = define(
                command_line.FLAGS_OF_ARGUMENTS.get(field.name, field.name),
                defaults.get(field.name, default),
                *more,
                _with_flags(meanings[field.name], meanings),
                required=is_required,
            )
            title = groups.get(field.name, title)
            if title:
                program.group(title, [self.holders[field.name]])

    def values(self, **others):
        """Create the dataclass from the values of the flags.

        Args:
            **others: values of the fields without a flag.
        """
        values = {name: x.value for name, x in self.holders.items()}
        return self._options(**values, **others)


def field_meanings(options):
    """Read the descriptions of the fields from the dataclass docstring.

    Returns:
        A dict mapping field names to descriptions.
    """
    meanings = {}
    for base in reversed(options.__mro__):
        arguments = inspect.cleandoc(base.__doc__ or "").partition("Args:\n")[2]
        for names, text in _ENTRIES.findall(arguments.partition("\n\n")[0]):
            text = " ".join(text.split())
            for name in names.split(", "):
                meanings[name] = text[:1].upper() + text[1:]
    return meanings


def _with_flags(text, fields):
    """Replace field names in a description by flags."""
    return re.sub(
        r"`(\w+)`", lambda m: f"--{m[1]}" if m[1] in fields else m[1], text
    )


def _definer(program, field):
    """Return the method of the program that defines a flag of this type."""
    field_type = field.type
    if checks.check_of(field) is not None:
        field_type = field_type.__origin__  # Without the check.
    field_type, *_ = [
        x for x in getattr(field_type, "__args__", (field_type,)) if x
    ]
    return {
        bool: program.bool,
        int: program.integer,
        float: program.float,
        str: program.string,
    }.get(field_type, program.list)
