"""bench/python: wrong results are found, and contestants take turns."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "python"))
try:
    import numpy as np
except ModuleNotFoundError:
    sys.exit("no NumPy here (Debian: python3-numpy)")
import checks
from contest import CannotDo, Contestant, contest

N = 3 * checks.CHUNK + 5  # several chunks, and a part of one


def changed(values, place, value):
    result = values.copy()
    result[place] = value
    return result


class Checks(unittest.TestCase):
    def setUp(self):
        self.values = np.random.default_rng(1).standard_normal(N)
        self.values[7] = self.values[N - 1]  # equal keys
        self.truth = checks.Truth(self.values)

    def right(self, job, result):
        self.assertEqual(checks.CHECKS[job](self.truth, result), "", job)

    def wrong(self, job, *results):
        for result in results:
            self.assertNotEqual(checks.CHECKS[job](self.truth, result), "", job)

    def test_sums(self):
        self.right("sum", (float(self.values.sum()),))
        self.wrong("sum", (self.truth.sum + 1e-5,), (np.nan,), (float(self.values[:-1].sum()),))
        self.right("exact sum", (self.truth.sum,))
        self.wrong("exact sum", (np.nextafter(self.truth.sum, 9),), (np.nan,))

    def test_min(self):
        least = float(self.values.min())
        self.right("min", (least,))
        self.wrong("min", (np.nextafter(least, 0),), (np.nan,))

    def test_statistics(self):
        given = [self.values.mean(), self.values.var(), self.values.min(), self.values.max()]
        self.right("statistics", given)
        self.wrong("statistics", *([*given[:i], np.nan, *given[i + 1:]] for i in range(4)))
        self.wrong("statistics", [given[0], self.values.var(ddof=1), *given[2:]])

    def test_cumulative_sum(self):
        given = self.values.cumsum()
        self.right("cumulative sum", [given])
        self.right("cumulative sum", [given[:70], given[70:]])
        self.wrong("cumulative sum", [given[:-1]], [given, given[:1]], [given - self.values],
                   [changed(given, N - 2, np.nan)], [changed(given, 5, given[5] + 1e-5)])

    def test_sort(self):
        given = np.sort(self.values)
        self.right("sort", [given])
        swapped = changed(given, [0, 1], given[[1, 0]])
        self.wrong("sort", [self.values], [given[:-1]], [swapped], [changed(given, 3, given[4])],
                   [changed(given, N - 1, np.nan)])

    def test_argsort(self):
        given = self.values.argsort(kind="stable")
        self.right("argsort", [given])
        self.right("argsort", [given.astype(np.uint32)])
        equal = np.flatnonzero((given == 7) | (given == N - 1))
        self.right("argsort", [changed(given, equal, given[equal[::-1]])])
        self.wrong("argsort", [np.arange(N)], [given[:-1]], [changed(given, equal, 7)],
                   [changed(given, [0, 1], given[[1, 0]])], [changed(given, 0, -1)])


class Turns(unittest.TestCase):
    def contestants(self, seconds):
        self.calls = []

        def run(who):
            self.calls.append(who)
            if seconds[who] is None:
                raise CannotDo("too large")
            return seconds[who], "off" if who == "c" else ""

        return [Contestant(who, {"told": who}, lambda who=who: run(who)) for who in seconds]

    def test_rounds_begin_with_another(self):
        rows = contest(self.contestants({"a": 1, "b": 2, "c": 3}), 3, 100)
        self.assertEqual("".join(self.calls), "abcbcacab")
        self.assertEqual([row["median_us"] for row in rows], [1e6, 2e6, 3e6])
        self.assertEqual([row.get("wrong") for row in rows], [None, None, "off"])

    def test_slow_ones_sit_out(self):
        rows = contest(self.contestants({"a": 1, "b": 5}), 4, 4)
        self.assertEqual([row["count"] for row in rows], [4, 1])

    def test_one_without_a_result(self):
        rows = contest(self.contestants({"a": 1, "b": None}), 3, 100)
        self.assertEqual("".join(self.calls), "abaa")
        self.assertEqual(rows[1], {"who": "b", "told": "b", "no": "too large"})


if __name__ == "__main__":
    unittest.main()
