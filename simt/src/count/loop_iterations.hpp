// In which iteration of the loops around it, and in which call, a lane did each thing that it
// logged. Lanes of a warp were together where both the position and the iteration are the same,
// also if some of them skipped the position in the iteration before.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simt/src/count/loops.hpp"
#include "simt/src/count/numbering.hpp"
#include "simt/src/run/log.hpp"

namespace simt::detail {

/// What one lane logged, and the basic block in which it began.
struct lane_path {
  std::uint32_t carry;
  std::span<const std::uint32_t> blocks;
  std::span<const memory_event> accesses;
};

/// The loops are those of the control flow that the lanes of one epoch took together, in each
/// function. Where one calls itself, its returns are not told from its own steps.
class loop_iterations {
 public:
  void begin_epoch();

  /// Whether the iterations can differ: a block was entered twice, or a function called.
  bool matter(std::span<const std::uint32_t> blocks);

  /// First of all lanes, then `find_loops`; from then on `follow`.
  void learn(const lane_path& p);
  void find_loops() { loops_.find(); }
  /// Sets `of_blocks` and `of_accesses`, each with the iteration of every entry.
  void follow(const lane_path& p);

  std::vector<std::uint32_t> of_blocks, of_accesses;

  /// The first iteration of the loop that `t` is an iteration of (0: of none), and how many came
  /// before it.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> in_loop(std::uint32_t t) const {
    return iterations_[t].loop == 0 ? std::pair{0U, 0U}
                                    : std::pair{iterations_[t].first, iterations_[t].number};
  }

 private:
  static constexpr std::uint32_t none = loop_nest::none;
  /// A function that runs: its last block, the iteration there, and the last call from there.
  struct frame {
    std::uint32_t function, node = none, iteration = 0, call = none;
  };
  /// An iteration of a loop (0: of none) or one call of a function, in the iteration around it.
  struct iteration {
    std::uint32_t parent, loop;
    std::uint32_t first = 0, number = 0;  // in the loop
  };

  std::uint32_t node_of(std::uint32_t block);
  void begin_path(std::uint32_t carry);
  frame& enter(std::uint32_t block);
  void leave_calls(std::uint32_t function);
  void move(frame& f, std::uint32_t node);
  std::uint32_t child(std::uint32_t of, std::uint32_t tag, iteration made);
  std::uint32_t next(std::uint32_t t);
  void know_functions();

  std::vector<std::uint32_t> function_;  // by block: the first block of its function
  std::vector<std::pair<std::uintptr_t, std::uint32_t>> functions_;  // by position
  std::vector<std::uint64_t> seen_;                                  // by block
  std::uint64_t sequence_ = 0;

  std::vector<std::uint32_t> node_;    // by block; nodes are blocks that were seen
  std::vector<std::uint32_t> blocks_;  // by node
  loop_nest loops_;
  numbering children_;
  std::vector<iteration> iterations_;
  std::vector<frame> frames_;
};

}  // namespace simt::detail
