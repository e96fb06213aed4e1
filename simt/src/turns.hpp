// In which turn of the loops around it, and in which call, a lane did each thing that it logged.
// Lanes of a warp were together where both the position and the turn are the same: also those that
// skipped it in the turn before.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simt::detail {

struct memory_event;

/// Numbers pairs from 0 on, in the order in which they first come.
class numbering {
 public:
  void clear();
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b);

 private:
  struct slot {
    std::uint64_t key = 0;
    std::uint32_t epoch = 0, number = 0;
  };
  slot& find(std::uint64_t key);

  std::vector<slot> slots_;
  std::uint32_t epoch_ = 1, size_ = 0;
};

/// What one lane logged, and the basic block in which it began.
struct lane_path {
  std::uint32_t carry;
  std::span<const std::uint32_t> blocks;
  std::span<const memory_event> accesses;
};

/// The loops are those of the control flow that the lanes of one epoch took together: the cycles
/// of each function, and the cycles that are left in one without its header. A function that calls
/// itself is taken for a loop.
class turns {
 public:
  void begin_epoch();

  /// Whether the turns can differ: a block was entered twice, or a function called.
  bool matter(std::span<const std::uint32_t> blocks);

  /// First of all lanes, then `find_loops`; from then on `walk`.
  void learn(const lane_path& p);
  void find_loops();
  /// Sets `of_blocks` and `of_accesses`, each with the turn of every entry.
  void walk(const lane_path& p);

  std::vector<std::uint32_t> of_blocks, of_accesses;

 private:
  static constexpr std::uint32_t none = ~0U;
  /// A function that is running: its last block and the turn there, and the last call from there.
  struct frame {
    std::uint32_t function, node = none, turn = 0, call = none;
  };
  struct loop {
    std::uint32_t parent, depth, header;
  };
  /// A turn of a loop (0: of none) or one call of a function, in the turn of what is around it.
  struct turn {
    std::uint32_t parent, loop;
  };

  std::uint32_t node_of(std::uint32_t block);
  void begin_path(std::uint32_t carry);
  frame& enter(std::uint32_t block);
  void leave_calls(std::uint32_t function);
  void move(frame& f, std::uint32_t node);
  void split(std::uint32_t loop);
  void add_loop(std::uint32_t around, std::span<const std::uint32_t> nodes);
  [[nodiscard]] bool contains(std::uint32_t outer, std::uint32_t inner) const;
  std::uint32_t child(std::uint32_t of, std::uint32_t tag, turn made);
  std::uint32_t next(std::uint32_t t);
  void know_functions();

  std::vector<std::uint32_t> function_;  // by block: the first block of its function
  std::vector<std::pair<std::uintptr_t, std::uint32_t>> functions_;  // by position
  std::vector<std::uint64_t> seen_;                                  // by block
  std::uint64_t sequence_ = 0;

  numbering children_;
  std::vector<std::uint32_t> node_;                 // by block; nodes are blocks that were seen
  std::vector<std::uint32_t> blocks_;               // by node
  std::vector<std::vector<std::uint32_t>> follow_;  // by node: those that came next
  std::vector<std::uint32_t> inner_;                // by node: the innermost loop
  std::vector<loop> loops_;                         // the first is none at all
  std::vector<turn> turns_;
  std::vector<frame> frames_;

  // Of split: by node, and the nodes that may still turn out to be in one cycle.
  std::vector<std::uint32_t> order_, low_, open_;
  std::vector<std::pair<std::uint32_t, std::size_t>> path_;
};

}  // namespace simt::detail
