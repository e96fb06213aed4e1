// A step of Marsaglia's xorshift is linear in its 160 bits, so many steps are a matrix: those of
// 2^k steps are made by squaring, once.
#include "simt/xorwow.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace simt::detail {

namespace {

constexpr unsigned state_bits = 160, most_squares = 67 + 64;
using vector = std::array<unsigned, state_bits / 32>;
using matrix = std::array<vector, state_bits>;  // what each bit comes to

vector step(const vector& v) {
  const unsigned t = v[0] ^ v[0] >> 2;
  return {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1};
}

vector product(const matrix& m, const vector& v) {
  vector sum{};
  for (unsigned word = 0; word < v.size(); ++word) {
    for (unsigned rest = v[word]; rest != 0; rest &= rest - 1) {
      const vector& row = m[32 * word + static_cast<unsigned>(std::countr_zero(rest))];
      for (unsigned i = 0; i < sum.size(); ++i) sum[i] ^= row[i];
    }
  }
  return sum;
}

std::vector<matrix> make_squares() {
  std::vector<matrix> all(most_squares);
  for (unsigned bit = 0; bit < state_bits; ++bit) {
    vector one{};
    one[bit / 32] = 1U << bit % 32;
    all[0][bit] = step(one);
  }
  for (unsigned k = 1; k < most_squares; ++k) {
    for (unsigned bit = 0; bit < state_bits; ++bit) {
      all[k][bit] = product(all[k - 1], all[k - 1][bit]);
    }
  }
  return all;
}

}  // namespace

void skip_xorwow(unsigned (&v)[5], std::uint64_t count, unsigned log2) {
  if (count == 0) return;
  static const std::vector<matrix> squares = make_squares();
  vector at = std::to_array(v);
  for (; count != 0; count &= count - 1) {
    at = product(squares[log2 + static_cast<unsigned>(std::countr_zero(count))], at);
  }
  for (unsigned i = 0; i < at.size(); ++i) v[i] = at[i];
}

}  // namespace simt::detail
