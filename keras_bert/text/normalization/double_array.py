"""Builder for double-array tries in the darts-clone format.

A node is one 32-bit unit. The children of the node at index `i` form a block:
the child for byte `b` is the unit at index `base ^ b`, and the node stores
`i ^ base`. The value of a node is the unit at `base` itself.

A unit stores only the offset to its block. Equal subtrees therefore share one
block, and the trie is the minimal automaton of its keys.
"""

_HAS_VALUE = 1 << 8
_OFFSET_SHIFT = 10
_MAX_OFFSET = 1 << 21
_IS_VALUE = 1 << 31
# A lookup reads `base ^ byte`. With whole pages, every read is in the array.
_PAGE = 256


def build_double_array(entries: dict[bytes, int]) -> list[int]:
    """Build the trie that maps each key to its value.

    Args:
        entries: dict mapping keys to values. Keys are not empty and do not
            contain the byte 0; values are from 0 to 2**31 - 1.

    Returns:
        A list of units (unsigned 32-bit integers). The result does not depend
        on the order of the entries.
    """
    root, blocks = _minimise(_nest(entries))
    bases = _assign_bases(blocks)
    units = [0] * (-(-(max(bases) + 1) // _PAGE) * _PAGE)
    units[0] = _node_unit(0, 0, root, blocks, bases)
    for number, (value, children) in enumerate(blocks):
        base = bases[number]
        if value is not None:
            units[base] = _IS_VALUE | value
        for byte, child in children:
            index = base ^ byte
            units[index] = _node_unit(index, byte, child, blocks, bases)
    return units


def _nest(entries):
    root = {}
    for key in sorted(entries):
        node = root
        for byte in key:
            node = node.setdefault(byte, {})
        # No key contains the byte 0: use it for the value.
        node[0] = entries[key]
    return root


def _minimise(root):
    """Return the root's index and the list of distinct subtrees."""
    numbers = {}

    def visit(node):
        value = node.get(0)
        children = tuple(
            (byte, visit(child)) for byte, child in node.items() if byte
        )
        return numbers.setdefault((value, children), len(numbers))

    return visit(root), list(numbers)


def _assign_bases(blocks):
    """Find a base for each block, starting with the largest blocks."""
    labels = [_labels(block) for block in blocks]
    order = sorted(range(len(blocks)), key=lambda n: -len(labels[n]))
    used = bytearray(b"\1")  # Index 0 is the root.
    taken = set()
    resume = {}  # Maps label sets to the position to resume the search at.
    bases = [0] * len(blocks)
    for number in order:
        wanted = labels[number]
        base = _free_base(wanted, used, taken, resume.get(wanted, 0))
        resume[wanted] = base ^ wanted[0]
        for label in wanted:
            used[base ^ label] = 1
        taken.add(base)
        bases[number] = base
    return bases


def _labels(block):
    value, children = block
    head = () if value is None else (0,)
    return head + tuple(byte for byte, _ in children)


def _free_base(labels, used, taken, index):
    """Return the next unused base that has free units for all labels."""
    while True:
        index = used.find(0, index)
        if index < 0:
            index = len(used)
            used.extend(bytes(_PAGE))
        base = index ^ labels[0]
        used.extend(bytes(max(0, (base | _PAGE - 1) + 1 - len(used))))
        if base not in taken and not any(used[base ^ b] for b in labels):
            return base
        index += 1


def _node_unit(index, byte, number, blocks, bases):
    offset = index ^ bases[number]
    if offset >= _MAX_OFFSET:
        raise ValueError(
            "The normalization rules are too many for a trie of "
            f"{_MAX_OFFSET} units. Received: {len(blocks)} distinct subtrees."
        )
    has_value = _HAS_VALUE if blocks[number][0] is not None else 0
    return offset << _OFFSET_SHIFT | has_value | byte
