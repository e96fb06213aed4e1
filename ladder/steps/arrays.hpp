// The arrays that a walkthrough shows, with their names and present contents: device memory as the
// launch was given it, the shared memory of each block, the registers that lanes exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ladder/steps/model.hpp"

namespace warpfold::ladder {

inline constexpr unsigned lanes_of_warp = 32;

struct cell_value {
  step_cell cell;
  std::uint64_t bits = 0;
};

class step_arrays {
 public:
  /// `known` are the first arrays of `walk`, in their order.
  step_arrays(walkthrough& walk, std::span<const device_array_name> known,
              const shared_layout& shared);

  /// The cells that one lane's access touched; none in memory that has no name.
  std::vector<cell_value> cells_of(const simt::watched_access& a, unsigned lane,
                                   std::size_t dynamic_bytes);
  /// The array of registers that the n-th of consecutive warp operations exchanges.
  std::size_t registers_of(unsigned block, unsigned warp, std::size_t index);
  [[nodiscard]] bool is_input(const step_cell& c) const {
    return c.array < known_.size() && known_[c.array].is_input;
  }

  void store(const cell_value& v);
  [[nodiscard]] const step_cells& now(std::size_t array) const { return now_[array]; }

  /// Gives all arrays their names. Returns those to hide: registers that no lane ever had anything
  /// but zero in, because the items that they are for do not exist.
  std::set<std::size_t> name_all();

 private:
  std::size_t new_array(value_type type, step_space space, std::size_t offset);
  std::size_t shared_array(const simt::watched_cell& c, unsigned bytes, std::size_t dynamic_bytes,
                           std::size_t& offset);
  void name_shared();
  void name_registers();
  [[nodiscard]] std::size_t per_item() const { return shared_.value_bytes != 0 ? 2 : 1; }

  walkthrough& walk_;
  std::span<const device_array_name> known_;
  shared_layout shared_;
  std::vector<step_cells> now_;
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::size_t> in_shared_;  // block, object,
                                                                               // column
  std::map<std::tuple<unsigned, unsigned, std::size_t>, std::size_t> registers_;
  std::set<std::size_t> not_zero_;
};

}  // namespace warpfold::ladder
