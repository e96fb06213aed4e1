// What a ladder runs on: a file's values, or random ones.
#pragma once

#include <cstdint>
#include <string_view>

#include "data/array.hpp"
#include "ladder/rung.hpp"

namespace warpfold::cli {

/// `n` values from a seed, the same on every machine. Sums of up to 2^22 i32 don't overflow (0 to
/// 255, as in the documents), products neither vanish nor explode, bits are all in use for the
/// bitwise operators, minimum and maximum see the whole range.
data::array random_values(value_type type, ladder::operation op, std::size_t n, std::uint64_t seed);

/// How keys, or a histogram's values, are laid out; `few` has eight different ones.
enum class key_pattern { random, sorted, reversed, constant, few };
key_pattern parse_key_pattern(std::string_view option, std::string_view text);
std::string_view name_of(key_pattern pattern);

/// `n` keys from a seed, the same on every machine.
data::array random_keys(value_type type, key_pattern pattern, std::size_t n, std::uint64_t seed);

/// `n` values from a seed, of which about `percent` are not 0.
data::array random_kept(value_type type, unsigned percent, std::size_t n, std::uint64_t seed);

/// `n` values from a seed, of which each is one of 0 … bins - 1.
data::array random_bins(value_type type, key_pattern pattern, std::size_t n, unsigned bins,
                        std::uint64_t seed);

}  // namespace warpfold::cli
