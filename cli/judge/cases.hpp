// What a hand-in is tried with, and what must come of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/kind.hpp"

namespace warpfold::cli::judge {

/// How a case runs: with all checks, as fast as possible between guard bytes, or counted.
enum class mode : std::uint8_t { check, run, count };
constexpr std::string_view name_of(mode m) {
  constexpr std::string_view names[] = {"check", "run", "count"};
  return names[static_cast<std::size_t>(m)];
}

/// A call that the hand-in's function takes, by its number there.
struct offer {
  std::size_t entry = 0;
  std::string type, op;  // "i32", "sum"
};

struct trial {
  offer of;
  std::size_t n = 0, results = 0;  // how many values go in and come out
  judge::mode mode = judge::mode::check;
  std::uint64_t order = 0;            // of blocks, warps and lanes; 0: ascending
  std::size_t in_at = 0, out_at = 0;  // bytes from the beginning of inputs, outputs
};

/// The first value that is not what it should be.
struct difference {
  std::size_t index = 0;
  std::string expected, got;
  std::string likely;  // "in[32] is missing"; "" where nothing suggests itself
};

/// All cases of one hand-in, the smallest first, with their inputs.
class trials {
 public:
  /// The first offer is tried most. Throws std::invalid_argument where one has an unknown type.
  trials(ladder::ladder_kind kind, const std::vector<offer>& offers, std::uint64_t seed);

  [[nodiscard]] const std::vector<trial>& all() const { return all_; }
  [[nodiscard]] const std::vector<std::byte>& inputs() const { return inputs_; }
  [[nodiscard]] std::size_t output_bytes() const { return output_bytes_; }

  /// `outputs`: those of all cases.
  [[nodiscard]] std::optional<difference> judge(const trial& t, const std::byte* outputs) const;

 private:
  void add(const offer& of, std::size_t n, mode how, std::uint64_t order = 0);

  ladder::ladder_kind kind_;
  std::uint64_t seed_;
  std::vector<trial> all_;
  std::vector<std::byte> inputs_;
  std::size_t output_bytes_ = 0;
};

/// How many values the counted case has.
std::size_t counted_size(ladder::ladder_kind kind);

}  // namespace warpfold::cli::judge
