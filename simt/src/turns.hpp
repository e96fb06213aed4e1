// In which turn of the loops around it, and in which call, a lane did each thing that it logged.
// Lanes of a warp were together where both the position and the turn are the same: also those that
// skipped it in the turn before.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "loops.hpp"
#include "numbering.hpp"

namespace simt::detail {

struct memory_event;

/// What one lane logged, and the basic block in which it began.
struct lane_path {
  std::uint32_t carry;
  std::span<const std::uint32_t> blocks;
  std::span<const memory_event> accesses;
};

/// The loops are those of the control flow that the lanes of one epoch took together, in each
/// function. Where one calls itself, its returns are not told from its own steps.
class turns {
 public:
  void begin_epoch();

  /// Whether the turns can differ: a block was entered twice, or a function called.
  bool matter(std::span<const std::uint32_t> blocks);

  /// First of all lanes, then `find_loops`; from then on `walk`.
  void learn(const lane_path& p);
  void find_loops() { loops_.find(); }
  /// Sets `of_blocks` and `of_accesses`, each with the turn of every entry.
  void walk(const lane_path& p);

  std::vector<std::uint32_t> of_blocks, of_accesses;

  /// The first turn of the loop that `t` is a turn of (0: of none), and how many came before it.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> in_loop(std::uint32_t t) const {
    return turns_[t].loop == 0 ? std::pair{0U, 0U} : std::pair{turns_[t].first, turns_[t].number};
  }

 private:
  static constexpr std::uint32_t none = loop_nest::none;
  /// A function that is running: its last block and the turn there, and the last call from there.
  struct frame {
    std::uint32_t function, node = none, turn = 0, call = none;
  };
  /// A turn of a loop (0: of none) or one call of a function, in the turn of what is around it.
  struct turn {
    std::uint32_t parent, loop;
    std::uint32_t first = 0, number = 0;  // in the loop
  };

  std::uint32_t node_of(std::uint32_t block);
  void begin_path(std::uint32_t carry);
  frame& enter(std::uint32_t block);
  void leave_calls(std::uint32_t function);
  void move(frame& f, std::uint32_t node);
  std::uint32_t child(std::uint32_t of, std::uint32_t tag, turn made);
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
  std::vector<turn> turns_;
  std::vector<frame> frames_;
};

}  // namespace simt::detail
