"""Reduce, scan, sort and exact sums of arrays, on all cores.

>>> import numpy as np, warpfold as wf
>>> x = np.array([3, 1, 2], dtype=np.float32)
>>> wf.sort(x)
array([1., 2., 3.], dtype=float32)
>>> print(wf.exact_sum(np.array([1e300, 1.0, -1e300])))
1.0

Functions take arrays of host memory: NumPy's, and any that has the buffer protocol, DLPack or
``__array_interface__``, such as PyTorch's CPU tensors and Arrow's columns without nulls. They
return NumPy arrays and scalars. Values are bool, integers of 8 to 64 bits, float32 and float64. An
array that does not lie in one piece is copied; the interpreter's lock is released while a call
computes. Arrays in a device's memory are taken where they lie. ``wf.cuda`` runs CUDA kernels
without a GPU; ``wf.ladder``, ``wf.steps`` and ``wf.report`` show how they get fast. docs/python.md
has all functions and what differs from NumPy's.
"""

# ruff: noqa: E402  # the first import comes before all that it guards
from ._interpreter import refuse_others

refuse_others()

from . import cuda, files, ladder
from ._core import version as __version__
from ._exact import Accumulator, exact_dot, exact_mean, exact_sum
from ._histogram import bincount, histogram
from ._order import argtop_k, median, nth_element, quantiles, top_k
from ._reduce import (
    MinMax,
    Summary,
    argmax,
    argmin,
    max,
    mean,
    min,
    minmax,
    prod,
    reduce,
    statistics,
    sum,
)
from ._scan import cumsum, exclusive_scan, inclusive_scan
from ._segments import (
    segmented_argmax,
    segmented_argmin,
    segmented_argsort,
    segmented_exclusive_scan,
    segmented_inclusive_scan,
    segmented_reduce,
    segmented_sort,
    segmented_stable_sort_by_key,
)
from ._select import (
    copy_flagged,
    copy_if,
    exclusive_scan_by_key,
    inclusive_scan_by_key,
    partition_copy,
    reduce_by_key,
    run_length_encode,
    unique,
    unique_by_key,
)
from ._show import report, steps
from ._sort import argsort, sort, sort_by_key
from ._sorted import (
    equal_range,
    lower_bound,
    merge,
    set_difference,
    set_intersection,
    set_symmetric_difference,
    set_union,
    upper_bound,
)

__all__ = [
    "Accumulator",
    "MinMax",
    "Summary",
    "__version__",
    "argmax",
    "argmin",
    "argsort",
    "argtop_k",
    "bincount",
    "copy_flagged",
    "copy_if",
    "cuda",
    "cumsum",
    "equal_range",
    "exact_dot",
    "exact_mean",
    "exact_sum",
    "exclusive_scan",
    "exclusive_scan_by_key",
    "files",
    "histogram",
    "inclusive_scan",
    "inclusive_scan_by_key",
    "ladder",
    "lower_bound",
    "max",
    "mean",
    "median",
    "merge",
    "min",
    "minmax",
    "nth_element",
    "partition_copy",
    "prod",
    "quantiles",
    "reduce",
    "reduce_by_key",
    "report",
    "run_length_encode",
    "segmented_argmax",
    "segmented_argmin",
    "segmented_argsort",
    "segmented_exclusive_scan",
    "segmented_inclusive_scan",
    "segmented_reduce",
    "segmented_sort",
    "segmented_stable_sort_by_key",
    "set_difference",
    "set_intersection",
    "set_symmetric_difference",
    "set_union",
    "sort",
    "sort_by_key",
    "statistics",
    "steps",
    "sum",
    "top_k",
    "unique",
    "unique_by_key",
    "upper_bound",
]
