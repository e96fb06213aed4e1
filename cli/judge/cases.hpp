// What a hand-in is tried with, and what must come of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/judge/inputs.hpp"
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
  std::size_t n = 0;
  judge::mode mode = judge::mode::check;
  std::uint64_t order = 0;  // of blocks, warps and lanes; 0: ascending
  input_kind input = input_kind::random;
  unsigned bins = 0;                       // of a histogram
  std::size_t results = 0, out_bytes = 0;  // what may come out
  std::size_t in_at = 0, out_at = 0;       // bytes from the beginning of inputs, outputs

  /// Bytes from out_at on: where a select's count is, behind the values.
  [[nodiscard]] std::size_t kept_at() const { return (out_bytes + 7) / 8 * 8; }
};

/// The first value that is not what it should be.
struct difference {
  std::string place;  // "out[3]: "; "" where there is one value
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
  /// What must be read and written once.
  [[nodiscard]] std::size_t useful_bytes(const trial& t) const;

 private:
  void add(trial t);

  ladder::ladder_kind kind_;
  std::uint64_t seed_;
  std::vector<trial> all_;
  std::vector<std::byte> inputs_;
  std::size_t output_bytes_ = 0;
};

/// How many values the counted case has.
std::size_t counted_size(ladder::ladder_kind kind);
/// The bins of a histogram where a case names none; and 0 of other ladders.
unsigned usual_bins(ladder::ladder_kind kind);

}  // namespace warpfold::cli::judge
