"""The canonical order (docs/canonical.md), as in reference.hpp."""


def reduce(x, op):
    """Of one value at least: the left half is the largest power of two below their number."""
    if len(x) == 1:
        return x[0]
    left = 1 << (len(x) - 1).bit_length() - 1
    return op(reduce(x[:left], op), reduce(x[left:], op))


def inclusive_scan(x, op, init=None):
    """What precedes the next value: init and the complete nodes in front of it, left to right."""
    nodes, before, out = [], init, []  # nodes: each with what precedes it
    for i, value in enumerate(x):
        node = (value, before)
        digit = 1
        while i & digit:  # the node on the left is as large
            left, before_left = nodes.pop()
            node = (op(left, node[0]), before_left)
            digit *= 2
        before = node[0] if node[1] is None else op(node[1], node[0])
        nodes.append(node)
        out.append(before)
    return out
