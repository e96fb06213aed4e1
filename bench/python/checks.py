"""Whether results are right. A check returns what is wrong, or "" of a right result. Every bound is
compared so that NaN fails."""
import functools
import math

import numpy as np

CHUNK = 1 << 16  # values at once, so that what is made of them stays in the cache
ROUNDING = 1e-12  # of the sum of all magnitudes: how far a sum may be off that is not exact


def chunks(values, size=CHUNK):
    return (values[at:at + size] for at in range(0, len(values), size))


def bits_of(values):
    return values.view(np.uint32 if values.itemsize == 4 else np.uint64).astype(np.uint64)


def mixed(bits, places):
    """The sum of a hash of each pair. Equal sums of two sets of pairs: the sets are equal, but for
    a chance of 2^-64."""
    z = bits + (places + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z ^= z >> np.uint64(shift)
        z *= np.uint64(factor)
    return int((z ^ (z >> np.uint64(31))).sum())


def fingerprint(pairs):
    return sum(mixed(bits_of(values), places) for values, places in pairs) % 2**64


def at_places(values):
    """Chunks of the values, each with its place."""
    place = 0
    for part in chunks(values):
        yield part, np.arange(place, place + len(part), dtype=np.uint64)
        place += len(part)


class Truth:
    """What is right of these values, found once it is asked for."""

    def __init__(self, values):
        self.values = values

    @functools.cached_property
    def sum(self):
        return math.fsum(memoryview(self.values))

    @functools.cached_property
    def rounding(self):
        return ROUNDING * math.fsum(float(np.abs(part).sum()) for part in chunks(self.values))

    @functools.cached_property
    def variance(self):
        mean = self.sum / len(self.values)
        squares = math.fsum(float(np.square(part - mean).sum()) for part in chunks(self.values))
        return squares / len(self.values)

    @functools.cached_property
    def ends(self):
        return (float(min(part.min() for part in chunks(self.values))),
                float(max(part.max() for part in chunks(self.values))))

    @functools.cached_property
    def sorted(self):
        """By NumPy, and held against the values: in order, and each as often."""
        result = np.sort(self.values)
        place = np.uint64(0)
        same = fingerprint((part, place) for part in chunks(self.values)) == fingerprint(
            (part, place) for part in chunks(result))
        if not same or not all((part[:-1] <= part[1:]).all() for part in chunks(result)) or not (
                result[CHUNK - 1:-1:CHUNK] <= result[CHUNK::CHUNK]).all():
            raise RuntimeError("numpy.sort gave something else than the values in order")
        return result

    @functools.cached_property
    def placed(self):
        return fingerprint(at_places(self.values))


def plain_sum(truth, result):
    off = abs(result[0] - truth.sum)
    return "" if off <= truth.rounding else f"{result[0]!r}, which is {off:.3g} off"


def exact_sum(truth, result):
    return "" if result[0] == truth.sum else f"{result[0]!r}, not {truth.sum!r}"


def least(truth, result):
    return "" if result[0] == truth.ends[0] else f"{result[0]!r}, not {truth.ends[0]!r}"


def statistics(truth, result):
    """Mean, variance of the population, minimum, maximum."""
    mean, variance, first, last = result
    n = len(truth.values)
    right = (abs(mean - truth.sum / n) <= truth.rounding / n
             and abs(variance - truth.variance) <= 1e-10 * truth.variance
             and (first, last) == truth.ends)
    return "" if right else f"{result}, not {(truth.sum / n, truth.variance, *truth.ends)}"


def against(expected, parts, right):
    """Whether these chunks are what is expected of each, and as long together."""
    place = 0
    for given in parts:
        for part in chunks(given):
            wanted = expected[place:place + len(part)]
            if len(wanted) != len(part) or not right(part, wanted):
                return f"something wrong between {place} and {place + len(part)}"
            place += len(part)
    return "" if place == len(expected) else f"{place} values, not {len(expected)}"


def cumulative_sum(truth, parts):
    carry = np.longdouble(0)

    def right(part, values):
        nonlocal carry
        prefixes = carry + np.cumsum(values, dtype=np.longdouble)
        carry = prefixes[-1]
        return bool((np.abs(part - prefixes) <= truth.rounding).all())

    return against(truth.values, parts, right)


def in_order(truth, parts):
    return against(truth.sorted, parts, lambda part, wanted: part.tobytes() == wanted.tobytes())


def indices(truth, parts):
    """Each index with the sorted key of its place must be a key with its own place."""
    found = 0

    def add(part, keys):
        nonlocal found
        found += mixed(bits_of(keys), part.astype(np.uint64))
        return True

    wrong = against(truth.sorted, parts, add)
    if wrong or found % 2**64 == truth.placed:
        return wrong
    return "the keys at these indices are not in order, or an index is missing"


CHECKS = {"sum": plain_sum, "min": least, "statistics": statistics, "exact sum": exact_sum,
          "cumulative sum": cumulative_sum, "sort": in_order, "argsort": indices}
NUMBERS = ("sum", "min", "statistics", "exact sum")  # their results are numbers, the others' arrays
