// Which values of a function differ between the lanes of a warp.
#pragma once

#include <span>
#include <string_view>
#include <unordered_set>

#include "instruction.hpp"

namespace simt::source_step {

/// Those that come from a thread's own number, from a lane's exchanges and from what is loaded by
/// such an address; what a function is given is taken for the same in all lanes.
class varying_values {
 public:
  explicit varying_values(std::span<const instruction> code);

  /// Whether any value that stands in the text is one.
  [[nodiscard]] bool any_in(std::string_view text) const;

 private:
  [[nodiscard]] bool makes_one(const instruction& i) const;

  std::unordered_set<std::string_view> names_;
};

}  // namespace simt::source_step
