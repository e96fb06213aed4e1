// A rung's own kernel, recorded on the CPU machine while one block (or one cluster) works on a few
// values: the active threads of each step, their reads and writes, and the arrays after it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ladder/kind.hpp"
#include "ladder/reference/reduce.hpp"
#include "ladder/rung.hpp"
#include "measure/measurement.hpp"

namespace warpfold::ladder {

struct steps_problem {
  ladder_kind ladder = ladder_kind::reduce;
  const rung* which = nullptr;
  host_values values;  // a sort's keys
  operation op = operation::sum;
  bool exclusive = false;
  bool pairs = false;  // u32 values, 0, 1, 2, …, travel with the keys
  bool descending = false;
  unsigned bins = 16;  // of a histogram
  unsigned block = 0;  // threads; 0: the fewest that take all values
};

/// The bits of an array's elements; nullopt where no thread wrote.
using step_cells = std::vector<std::optional<std::uint64_t>>;

/// Where an array is.
enum class step_space : std::uint8_t { global, shared, registers };
enum class request_kind : std::uint8_t { load, store, atomic };

/// What a kernel works on: an array in device or shared memory, or the registers whose values the
/// lanes of a warp hand to each other.
struct step_array {
  std::string name;
  value_type type;
  step_space space = step_space::global;
  std::size_t offset = 0;  // bytes from the beginning of its memory: of the block, of the device
  step_cells cells;        // before the first step

  /// The cell's value as text; "·" where no thread wrote.
  [[nodiscard]] std::string text(const step_cells& now, std::size_t index) const;
};

struct step_cell {
  std::size_t array = 0, index = 0;
  auto operator<=>(const step_cell&) const = default;
};

/// What one thread did in a step.
struct step_move {
  unsigned block = 0, thread = 0;
  bool applies = false;  // the operator, or the order of a sort
  std::vector<step_cell> reads, writes;

  /// The two cells of one array that the operator or the comparator joined, the lower one first.
  [[nodiscard]] std::optional<std::pair<step_cell, step_cell>> joined() const;
  /// Whether it wrote, and all of it to other arrays.
  [[nodiscard]] bool went_elsewhere(std::size_t array) const;
};

struct step_snapshot {
  std::size_t array = 0;
  step_cells cells;
};

/// What the lanes of a warp asked of memory together.
struct step_request {
  unsigned block = 0, warp = 0;
  request_kind what = request_kind::load;
  step_space space = step_space::global;
  std::uint64_t conflicts = 0;                        // of banks
  std::vector<std::pair<unsigned, step_cell>> cells;  // by lane
};

/// On which side comparators put the smaller of two different keys.
enum class step_direction : std::uint8_t { unknown, smaller_first, greater_first, both };

/// What happened between two points where the threads met.
struct step {
  unsigned number = 0;  // counts steps in which somebody applied the operator; 0: nobody did
  unsigned launch = 0;
  std::string kernel;
  std::string taken_by;          // "__shfl_down_sync": how it got at the values of other lanes
  std::string ended_by;          // "__syncthreads"; empty: the end of the kernel
  std::vector<step_move> moves;  // by block and thread
  std::uint64_t conflicts = 0;   // of banks
  std::vector<step_cell> in_conflict;
  std::vector<step_request> requests;  // in the order in which warps made them
  std::vector<step_snapshot> after;    // the arrays that it wrote; or read, if it changed none
  step_direction direction = step_direction::unknown;

  /// The threads that applied the operator; all that took part where none did.
  [[nodiscard]] std::vector<const step_move*> workers() const;
  /// The distance of the joined cells if all workers have the same.
  [[nodiscard]] std::optional<std::size_t> stride() const;
  /// If all workers joined mirror images of a run: the size of the run.
  [[nodiscard]] std::optional<std::size_t> mirror() const;
};

struct walkthrough {
  ladder_kind ladder = ladder_kind::reduce;
  unsigned block = 0;   // threads
  unsigned blocks = 0;  // 1, or those of a cluster
  unsigned launches = 0;
  bool many_blocks = false;        // more than one has part in it
  std::vector<step_array> arrays;  // before the first step
  std::vector<step> steps;
  std::size_t result = 0;  // the array that holds it
  measure::verdict verdict;
};

/// Whether one block takes any number of values, each thread one after the other.
bool takes_any_number(const rung& r);

/// Throws usage_error for no values, for more than a block takes, and for a block size that the
/// rung can't work with.
walkthrough walk(const steps_problem& problem);

}  // namespace warpfold::ladder
