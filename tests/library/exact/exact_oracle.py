"""Sums by Python: one line for each input line, `PRECISION LEAST_EXPONENT GREATEST_EXPONENT VALUE...`
(all values as hexadecimal floats): the correctly rounded sum. Rational numbers say what it is;
math.fsum must agree where it can (f64, no overflow on the way)."""
import math
import sys
from fractions import Fraction


def rounded(exact, precision, least, greatest):
    if exact == 0:
        return 0.0
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length() - 1
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** max(exponent - precision + 1, least)
    result = round(exact / unit) * unit  # ties to even
    if abs(result) >= Fraction(2) ** greatest:
        return math.inf if exact > 0 else -math.inf
    return float(result)


for line in sys.stdin:
    words = line.split()
    precision, least, greatest = map(int, words[:3])
    values = [float.fromhex(word) for word in words[3:]]
    result = rounded(sum(map(Fraction, values), Fraction(0)), precision, least, greatest)
    if precision == 53:
        try:
            if math.fsum(values) != result:
                sys.exit(f"math.fsum says {math.fsum(values)!r}, fractions say {result!r}")
        except OverflowError:
            pass
    print(result.hex())
