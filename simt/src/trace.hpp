// What lanes did between two points where their warp meets, and the arithmetic that turns it into
// counters: lanes are lined up by position, turn of the loops around it, and n-th visit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "simt/kernel_counts.hpp"
#include "turns.hpp"

namespace simt::detail {

enum class access_kind : std::uint8_t { load, store, atomic };
enum class space : std::uint8_t { global, shared, remote };

/// One access of one lane. `site` packs the code position and what kind of access it was.
struct memory_event {
  std::uint64_t address;
  std::uint64_t site;
  std::uint32_t after;  // so many of the basic blocks in its log
};

constexpr std::uint64_t pack_site(std::uintptr_t pc, access_kind kind, space where,
                                  unsigned size_log2) {
  return pc << 8 | static_cast<unsigned>(kind) << 5 | static_cast<unsigned>(where) << 3 | size_log2;
}
constexpr std::uintptr_t position_of(std::uint64_t site) { return site >> 8; }
constexpr access_kind kind_of(std::uint64_t site) { return access_kind(site >> 5 & 3); }
constexpr space space_of(std::uint64_t site) { return space(site >> 3 & 3); }
constexpr unsigned size_of(std::uint64_t site) { return 1U << (site & 7); }

/// A growing array that a raw cursor writes into.
template <class T>
struct log_buffer {
  std::unique_ptr<T[]> begin;
  T* cursor = nullptr;
  T* limit = nullptr;

  void reserve(std::size_t capacity);  // keeps the contents
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(cursor - begin.get()); }
  [[nodiscard]] std::size_t capacity() const {
    return static_cast<std::size_t>(limit - begin.get());
  }
};

/// The log of one lane. While the lane runs, its cursors live in `hot_state`.
struct lane_log {
  log_buffer<std::uint32_t> guards;  // basic blocks entered
  log_buffer<memory_event> memory;
};
using warp_log = std::array<lane_log, 32>;

/// Lines up the visits of several sequences to the same positions: the n-th visit of each sequence
/// to a position meets the same record.
template <class Record>
class aligner {
 public:
  void begin_epoch();
  void begin_sequence() { ++sequence_; }
  Record& visit(std::uint32_t position);
  [[nodiscard]] const std::vector<Record>& records() const { return records_; }

 private:
  static constexpr std::uint32_t none = ~0U;
  struct walk {
    std::uint64_t epoch = 0, sequence = 0;
    std::uint32_t head = none, last = none;
  };
  std::vector<walk> walks_;  // by position
  std::vector<Record> records_;
  std::vector<std::uint32_t> next_;  // by record
  std::uint64_t epoch_ = 0, sequence_ = 0;
};

/// Where a basic block led, over all warps of a launch.
struct branch_stat {
  std::uint32_t successor = 0;
  bool both_ways = false;
  std::uint64_t visits = 0;
  std::uint64_t divergent = 0;
  std::uint64_t warp_steps = 0, lane_steps = 0;  // counted only with `by_place`

  void merge(const branch_stat& other);
};

struct warp;

/// One worker's bookkeeping: lends logs to the warps in flight and turns them into counters.
class tracer {
 public:
  /// Gives `w` an empty log.
  void open(warp& w);

  /// Counts what the lanes of `w` logged and takes the log back. While a lane only gave way, logs
  /// that disagree are kept and grown instead, so that late lanes still meet their partners.
  void drain(warp& w);

  counters total;
  std::vector<branch_stat> branches;  // by basic block
  bool by_place = false;              // also count in `places`, and the steps of each basic block
  std::unordered_map<std::uintptr_t, place_counts> places;  // accesses, by code position
  bool seeks_conflicts = false;                             // to report them

 private:
  struct block_record {
    std::uint32_t block = 0, mask = 0, successor = 0;
    bool divergent = false;
  };
  struct access_record {
    std::uint64_t site = 0;
    std::uint32_t mask = 0;
    std::uint32_t turn = 0;
    std::array<std::uint64_t, 32> addresses;
  };

  /// Lanes with equal logs.
  struct lane_group {
    std::uint32_t lanes;
    unsigned leader;
  };

  void find_groups(const warp& w);
  void find_turns(const warp& w);
  void drain_blocks(warp& w, const lane_group& g);
  void drain_accesses(const warp& w, const lane_group& g);
  void count_records(const warp& w);
  // What nvcc may make of the accesses, in `places`.
  void note_unrolled();
  void note_widened(const warp& w, const lane_group& g, std::span<const memory_event> accesses);
  void count(const warp& w, std::uint64_t site, std::uint32_t mask, const std::uint64_t* addresses);
  void went(std::uint32_t from, std::uint32_t to);
  void step(std::uint32_t block, unsigned lanes);

  std::uint32_t with_blocks_ = 0, with_accesses_ = 0;  // the lanes that logged any
  std::vector<lane_group> groups_;
  bool by_turn_ = false;  // else all turns are the same
  turns turns_;
  numbering block_turns_, access_turns_;  // (turn, block), (turn, position of the site)
  aligner<block_record> blocks_;
  aligner<access_record> accesses_;
  std::unordered_map<std::uint64_t, std::uint32_t> positions_;  // of sites
  std::vector<block_record> carried_;
  std::vector<std::unique_ptr<warp_log>> spare_;
};

/// Adds one warp-wide access: `mask` tells the lanes, `addresses` has 32 entries.
void count_access(counters& total, std::uint64_t site, std::uint32_t mask,
                  const std::uint64_t* addresses);

}  // namespace simt::detail
