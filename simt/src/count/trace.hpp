// What lanes did between two points where their warp meets, and the arithmetic that turns it into
// counters: lanes are lined up by position, iteration of the loops around it, and n-th visit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "simt/kernel_counts.hpp"
#include "simt/src/count/loop_iterations.hpp"
#include "simt/src/count/rounds.hpp"
#include "simt/src/count/traffic.hpp"
#include "simt/src/observer.hpp"

namespace simt::detail {

/// Lines up the visits of several sequences to the same positions: the n-th visit of each sequence
/// to a position meets the same record.
template <class Record>
class visit_aligner {
 public:
  void begin_epoch();
  void begin_sequence() { ++sequence_; }
  Record& visit(std::uint32_t position);
  [[nodiscard]] const std::vector<Record>& records() const { return records_; }

 private:
  static constexpr std::uint32_t none = ~0U;
  struct cursor {
    std::uint64_t epoch = 0, sequence = 0;
    std::uint32_t head = none, last = none;
  };
  std::vector<cursor> cursors_;  // by position
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
  std::uint64_t warp_steps = 0, lane_steps = 0;
  bool seen = false;  // by the launch

  void merge(const branch_stat& other);
};

/// By basic block, of those that a launch comes to: they are few of all that a program has, and
/// forgetting them takes no longer than there were.
class branch_stats {
 public:
  /// There are numbers up to `most`.
  void forget(std::uint32_t most) {
    for (const std::uint32_t block : seen_) all_[block] = {};
    seen_.clear();
    all_.resize(std::size_t{most} + 1);
  }
  branch_stat& operator[](std::uint32_t block) {
    branch_stat& s = all_[block];
    if (!s.seen) {
      s.seen = true;
      seen_.push_back(block);
    }
    return s;
  }
  void merge_into(std::map<std::uint32_t, branch_stat>& to) const {
    for (const std::uint32_t block : seen_) to[block].merge(all_[block]);
  }

 private:
  std::vector<branch_stat> all_;
  std::vector<std::uint32_t> seen_;
};

/// One worker's counters: lends logs to the warps in flight and turns them into numbers.
class tracer final : public observer {
 public:
  /// `listener` learns of every warp-wide access. nullptr: nobody does.
  explicit tracer(observer* listener = nullptr) : listener_(listener) {}

  void worker_begins(const grid& g) override;
  void lane_resumes(const lane& next) override;
  void lane_leaves(lane& self) override;
  void warp_stalls(warp& w) override { drain(w); }
  void access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
              std::uintptr_t pc) override;
  void block_barrier(const block& b) override;
  void cluster_barrier(const cluster& c) override;
  void cluster_begins(cluster&, const grid&, std::uint64_t) override {
    traffic_.block_begins();
    last_ = {};
  }
  void block_ends(const lane& last) override;
  void fence() override;
  void bulk_load(const void* shared, const void* global, std::size_t bytes,
                 std::uintptr_t pc) override;
  void bulk_store(const void* global, const void* shared, std::size_t bytes,
                  std::uintptr_t pc) override;

  /// Of the launch, with what `places` has.
  [[nodiscard]] counters sum() const;
  [[nodiscard]] const branch_stats& branches() const { return branches_; }
  /// Accesses, by code position; none unless run_options::lines asks for them.
  [[nodiscard]] const std::unordered_map<std::uintptr_t, place_counts>& places() const {
    return places_;
  }
  void tell(observer* listener) { listener_ = listener; }
  /// What was accessed before is in no cache.
  void forget_caches(std::uint32_t before) { cold_before_ = before; }
  [[nodiscard]] const class traffic& traffic() const { return traffic_; }
  /// Of all blocks, one after another.
  [[nodiscard]] const critical_path& path() const { return path_; }
  [[nodiscard]] double path_squares() const { return path_squares_; }
  /// Of the longest block in the cluster that began last.
  [[nodiscard]] const critical_path& last() const { return last_; }
  /// The most that a block had, static and dynamic.
  [[nodiscard]] std::size_t shared_bytes() const { return shared_bytes_; }

 private:
  struct block_record {
    std::uint32_t block = 0, mask = 0, successor = 0;
    bool divergent = false;
  };
  struct access_record {
    std::uint64_t site = 0;
    std::uint32_t mask = 0;
    std::uint32_t iteration = 0;
    std::array<std::uint64_t, 32> addresses;
  };

  /// Lanes with equal logs.
  struct lane_group {
    std::uint32_t lanes;
    unsigned leader;
  };

  void open(warp& w);
  void drain(warp& w);
  void end_epoch();
  void find_groups(const warp& w);
  void find_iterations(const warp& w);
  void drain_carried(const warp& w, const lane_group& g, std::uint32_t to);
  void count_together(std::span<const std::uint32_t> blocks, unsigned lanes);
  void drain_blocks(warp& w, const lane_group& g);
  void drain_accesses(const warp& w, const lane_group& g);
  void count_records(const warp& w);
  // What nvcc may make of the accesses, in `places_`.
  void note_unrolled();
  void note_widened(const warp& w, const lane_group& g, std::span<const memory_event> accesses);
  void count(const warp& w, std::uint64_t site, std::uint32_t mask, const std::uint64_t* addresses);
  void went(std::uint32_t from, std::uint32_t to);
  void step(std::uint32_t block, unsigned lanes);
  void follow_path(const warp& w);

  observer* listener_;
  counters total_;
  branch_stats branches_;
  bool by_place_ = false;  // also count in `places_`, and the steps of each basic block
  std::unordered_map<std::uintptr_t, place_counts> places_;
  std::uint32_t with_blocks_ = 0, with_accesses_ = 0;  // the lanes that logged any
  std::vector<lane_group> groups_;
  bool by_iteration_ = false;  // else all iterations are the same
  loop_iterations iterations_;
  numbering block_iterations_,
      access_iterations_;  // (iteration, block), (iteration, position of the site)
  visit_aligner<block_record> blocks_;
  visit_aligner<access_record> accesses_;
  std::unordered_map<std::uint64_t, std::uint32_t> positions_;  // of sites
  std::vector<block_record> carried_;
  std::vector<std::unique_ptr<warp_log>> spare_;
  class traffic traffic_;
  std::uint32_t cold_before_ = 0;
  std::size_t shared_bytes_ = 0;
  critical_path path_;
  double path_squares_ = 0;
  critical_path last_;
  recent_sectors recent_;
  std::unordered_map<const block*, block_path> paths_;  // of those that run
  std::vector<instruction_counts> costs_;               // by basic block
};

/// Adds one warp-wide access: `mask` tells the lanes, `addresses` has 32 entries.
/// `beyond` learns what goes to global memory.
void count_access(counters& total, std::uint64_t site, std::uint32_t mask,
                  const std::uint64_t* addresses, traffic* beyond = nullptr);

}  // namespace simt::detail
