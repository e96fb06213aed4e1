// The checker: who is ordered after whom, and what was found.
//
// Every cluster has a clock that goes on at each barrier, warp operation and fence. An access is
// stamped with it, so "ordered" is a comparison with the clock at the last meeting of both threads.
// Between blocks a fence, then an atomic (or a store: a flag), releases what the thread knew; an
// atomic, or a read of a flag, takes all that any block had released by then.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "simt/findings.hpp"
#include "simt/launch.hpp"
#include "simt/src/check/required_reads.hpp"
#include "simt/src/check/shadow.hpp"
#include "simt/src/check/targets.hpp"
#include "simt/src/memory/program.hpp"
#include "simt/src/observer.hpp"
#include "simt/src/run/model.hpp"

namespace simt::detail {

/// By thread of a block: up to when its accesses are behind a fence of its own.
using fenced_accesses = std::vector<std::uint32_t>;

/// What one thread released: its own accesses up to `own`, its warp's and block's as far as it
/// had met them; and what others had fenced before the block met.
struct release_mark {
  std::uint64_t order = 0;  // among all of the launch
  std::uint32_t thread = 0, own = 0, in_warp = 0, in_block = 0;
  bool narrow = false;  // to its own block alone
  std::shared_ptr<const fenced_accesses> fenced{};

  [[nodiscard]] bool covers(const access_mark& m) const;
  /// Nothing after it is covered.
  [[nodiscard]] std::uint32_t last() const;
};

/// All that `block` did up to `stamp` was released to whoever acquired so much.
struct ordered_before {
  std::uint32_t block = 0, stamp = 0;
  std::uint64_t acquired = 0;

  [[nodiscard]] bool covers(const access_mark& m, std::uint64_t by) const {
    return m.block == block && m.stamp <= stamp && by >= acquired;
  }
};

struct raw_side {
  access_mark mark;
  access_type what{};
  std::uintptr_t pc = 0;
};
struct raw_finding {
  finding_kind kind{};
  memory_space space{};
  target at;
  raw_side here{}, other{};
  std::size_t bytes = 0;
  bool ends = false;     // the launch
  bool by_vote = false;  // ordered by one or a shuffle alone
  bool note = false;
  std::uint64_t count = 1;
};

/// What a thread did that wrote the word last that others wait for.
inline constexpr const char* wrote_last = "wrote that last";

/// A thread that can't go on, and what it does: waits, spins, has ended.
struct raw_party {
  uint3 block{}, thread{};
  unsigned warp = 0;
  place at;               // the intrinsic that it waits in, if it waits in one; else
  std::uintptr_t pc = 0;  // its position in the code
  std::string doing;
  unsigned threads = 1;
};
struct raw_hazard {
  finding_kind kind{};
  std::string detail;
  std::vector<raw_party> parties;
  bool ends = true;  // the launch
  bool note = false;
  std::uint64_t count = 1;
};

struct launch_record {
  std::uint16_t id = 0;
  const void* kernel = nullptr;
  dim3 grid, block, cluster;
};

/// What an `observe` scope keeps of its checked launches.
struct scope_record {
  std::vector<launch_record> launches;  // the last few
  /// Atomics on what the same atomic of an earlier launch had left.
  std::vector<finding> stale_across_launches;
  std::vector<std::shared_ptr<read_map>> required_reads;
  std::uint32_t traffic_before = 0;  // what was accessed before it began is in no cache
};
scope_record& record_of(const observe& scope);

/// Checks one launch, on all its workers.
struct checker final : observer {
  std::uint16_t id = 0;     // starts again when it has run through
  unsigned generation = 0;  // how often it has
  std::vector<region> regions;
  program_memory program;
  bool pageable_access;
  std::vector<std::shared_ptr<read_map>> required_reads;
  std::atomic<std::uint64_t> releases{1};  // so that who acquired anything has more than 0
  std::mutex mutex;                        // of all below
  std::unordered_map<std::uint32_t, std::vector<release_mark>> released;  // by block
  bool forgot = false;  // too many blocks: some of what was released is not in there
  std::map<std::tuple<finding_kind, std::uintptr_t, std::uintptr_t>, raw_finding> found, stale;
  std::vector<raw_hazard> hazards;
  std::map<std::uint32_t, bool> decided;      // by the read's position; whether by comparisons only
  bool ended = false;                         // the launch, by one of these that end it
  std::map<const worker*, open_pages> pages;  // goes before the regions do

  const bool notes;  // are wanted

  explicit checker(const observe& scope);
  /// Gives the scope what was found, with its places in the source.
  void close(const grid& g, observe& scope) const;

  void cluster_begins(cluster& c, const grid& g, std::uint64_t number) override;
  void lane_leaves(lane& self) override;
  void access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
              std::uintptr_t pc) override;
  void other_access(std::uintptr_t address, access_kind kind, unsigned size_log2,
                    std::uintptr_t pc) override;
  void misaligned_access(std::uintptr_t address, access_kind kind, space where,
                         std::uintptr_t pc) override;
  void atomic_compares(std::uintptr_t address) override;
  void wide_shift(std::uintptr_t pc) override;
  void bulk_load(const void* shared, const void* global, std::size_t bytes,
                 std::uintptr_t pc) override;
  void bulk_store(const void* global, const void* shared, std::size_t bytes,
                  std::uintptr_t pc) override;
  void warp_access(const warp& w, std::uint64_t site, std::uint32_t mask,
                   const std::uint64_t* addresses, std::uint64_t conflicts) override;
  void block_scope() override;
  void fence() override;
  void release() override;
  void acquire() override;
  void atomic_word(std::uintptr_t address, bool release) override;
  void volatile_access(std::uintptr_t address, bool decides) override;
  void comes_to(const void* barrier) override;
  void passes(const void* barrier) override;
  void block_barrier(const block& b) override;
  void some_of_block_met(const block& b) override;
  void cluster_barrier(const cluster& c) override;
  void grid_arrival(const block& b) override;
  void grid_departure(const block& b) override;
  void warp_operation(const warp& w, const collective& c, bool exchanges) override;
  void notices(const hazard& h) override;
  bool reports(const hazard& h) override;
  bool reports_hang(const cluster& stuck, bool spins) override;

  void publish(struct block_check& b, release_mark mark);
  /// Whether it was released to who in block `by` acquired so much; keeps in `memo` what goes for
  /// others.
  bool covers(const access_mark& m, std::uint32_t by, std::uint64_t acquired, ordered_before& memo);
  void add(const raw_finding& f);
  /// The plain read at this place was followed by the thread's own atomic on the same word.
  void decide(std::uintptr_t read_at, bool by_comparison);
  void add_stale(const raw_finding& f);
  /// Ends the launch: why is a finding.
  [[noreturn]] void end(lane& self);
  void end_by(raw_hazard h);
  void keep(raw_hazard h);
  void note_exits(const block& b);
  void note_passing(const block& b);

 private:
  open_pages& pages_of(const worker& w);
  [[nodiscard]] bool is_guess(const raw_finding& f, bool& note) const;
};

/// An access by which a thread learnt what atomics of others had left in a word.
struct look {
  std::uintptr_t address = 0;
  std::uint32_t thread = 0, stamp = 0;
  access_mark last;  // the last of them when it was over
};

/// A store that races with another store, until it is known what it stores.
struct held_store {
  raw_finding f;
  std::uintptr_t address = 0;  // 0: none
  std::array<std::byte, 16> before{};
};

struct plain_read {
  std::uintptr_t address = 0, pc = 0;
};

/// What lies before a thread's fence: its own accesses up to then, and those that it had met.
struct fenced_until {
  std::uint32_t own = 0, in_warp = 0, in_block = 0;
};

/// A barrier that a thread has passed since its block met last, and how often.
struct passing {
  const void* barrier = nullptr;
  unsigned times = 0;
};

struct lane_check {
  std::array<plain_read, 4> reads;  // the last ones, in a ring
  std::uint8_t next_read = 0;
  bool compares = false;       // its next access, an atomic
  std::uint64_t acquired = 0;  // releases that it has seen
  bool pending = false;        // it is making an atomic: it will see those up to its next access
  bool released = true;        // nothing to release since its last fence
  bool flags = false;          // its next store comes right after a fence
  std::uintptr_t word = 0;     // its next access there is atomic
  std::uintptr_t strong = 0;   // its next access there is of a volatile object
  bool polls = false;          // and decides when its loop is left
  std::uintptr_t waited = 0;   // the word that its last such access was of
  std::uintptr_t looking = 0;  // at this word; it is over by the next access
  std::uint32_t looking_stamp = 0;
  std::uintptr_t polled = 0, polled_at = 0;  // what it read last, and where in the code
  fenced_until wide, any;                    // its last fence that other blocks see; its last one
  bool block_scope = false;                  // of its next atomic or fence
  std::uint32_t synced = 0;                  // the clock at its last __syncwarp
  const void* waits_at = nullptr;            // the barrier, if others may pass it by
  std::array<passing, 4> passed;             // since the block met; the last ones
};

struct warp_check {
  std::uint32_t whole = 0;  // lanes at the start
  std::uint32_t met = 0;    // the clock when all of them met
  bool pending = false;
  std::uint64_t acquired = 0;
  /// known[a][b]: up to when lane a knows what lane b did, where only part of the warp met.
  std::unique_ptr<std::array<std::array<std::uint32_t, warp_size>, warp_size>> known;
};

struct block_check {
  checker* launch = nullptr;
  struct cluster_check* cluster = nullptr;
  open_pages* pages = nullptr;  // of its worker
  held_store held;
  std::uintptr_t decided_at = 0;  // the last read that was
  bool decided_by_comparison = false;
  std::vector<std::uint32_t> polling_sites;  // of loads that decide when their loop is left
  std::uint32_t id = 0;
  std::uint32_t met = 0;
  std::uint32_t published = 0;                    // nothing that it did later was released
  bool fences = false;                            // some thread has, since the block met
  bool passes = false;                            // a barrier: the same
  std::shared_ptr<const fenced_accesses> fenced;  // when it met; the next atomic releases them
  bool pending = false;
  std::uint64_t acquired = 0;
  std::vector<lane_check> lanes;
  std::vector<warp_check> warps;
  std::vector<look> looked;                 // the last ones that are over, in a ring
  std::size_t looks = 0;                    // of all
  std::array<const region*, 64> guesses{};  // by code position
  std::array<ordered_before, 16> ordered;   // by the other block's number
  std::unique_ptr<lazy_array<shared_cell>> cells;

  [[nodiscard]] bool polls(std::uint32_t site) const {
    return std::find(polling_sites.begin(), polling_sites.end(), site) != polling_sites.end();
  }
};

struct cluster_check {
  unsigned generation = 0;
  std::uint32_t clock = 1;
  std::uint32_t met = 0;  // at the cluster's barrier
  std::vector<block_check> blocks;
};

inline block_check& check_of(const block& b) { return *static_cast<block_check*>(b.attached); }
inline block_check& check_of(const lane& l) { return check_of(block_of(l)); }

/// The values that the launches of this scope have left unread.
std::vector<finding> unread_values(const observe& scope, const grid& last);

/// Stores of one value are no race; where their line also has one of a load and a store, threads
/// add 0 to a word there.
void join_stores(std::vector<finding>& list, const finding& stores);

/// Two stores met, and both are in memory now.
void report_held(block_check& b);

/// The last store has happened: if it was held back, whatever has come of it is reported.
inline void settle(block_check& b) {
  b.pages->storing.store(0, std::memory_order_release);
  if (b.held.address != 0) report_held(b);
}

/// "offset 8 of partials".
std::string describe_address(const block_check& b, const block& of, std::uintptr_t address);
/// Of this launch, or of an earlier one; `of` is the block of `b`.
access_mark last_write(const block_check& b, const block& of, std::uintptr_t address);

}  // namespace simt::detail
