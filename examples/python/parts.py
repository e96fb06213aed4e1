"""One sum from several processes: the same bits however the values are split.

Each process sums its part exactly and sends the accumulator's bytes; whoever has all of them merges
and rounds once. A plain sum of parts depends on the split.
"""

import multiprocessing

import numpy as np
import numpy.typing as npt
import warpfold as wf


def part_of(values: npt.NDArray[np.float64]) -> wf.Accumulator:
    """The sum of one process's values, not rounded yet; it is pickled on its way back."""
    return wf.Accumulator().add(values)


def main() -> None:
    """Prints the sum, and how many results the plain and the exact sums of 1 to 8 parts have."""
    random = np.random.default_rng(2026)
    values = random.standard_normal(1 << 20) * 10.0 ** random.integers(-8, 8, 1 << 20)
    plain: set[float] = set()
    exact: set[float] = set()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for processes in range(1, 9):
            parts = np.array_split(values, processes)
            plain.add(float(sum(np.sum(part) for part in parts)))
            total = wf.Accumulator()
            for part in pool.map(part_of, parts):
                total += part
            exact.add(float(total))
    print(f"sum {wf.exact_sum(values)}: {len(plain)} plain results, {len(exact)} exact one")
    assert exact == {float(wf.exact_sum(values))}


if __name__ == "__main__":
    main()
