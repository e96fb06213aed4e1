// The checker: who is ordered after whom, and what was found.
//
// Every cluster has a clock that goes on at each barrier, warp operation and fence. An access is
// stamped with it, so "ordered" is a comparison with the clock at the last meeting of both threads.
// Between blocks a fence, then an atomic (or a store: a flag), releases what the thread knew; an
// atomic, or a read of a flag, takes all that any block had released by then.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "shadow.hpp"
#include "simt/findings.hpp"
#include "simt/launch.hpp"
#include "state.hpp"

namespace simt::detail {

/// What one thread told others: its own accesses up to `own`, its warp's and block's as far as it
/// had met them.
struct release_mark {
  std::uint64_t order = 0;  // among all of the launch
  std::uint32_t thread = 0, own = 0, in_warp = 0, in_block = 0;
};

/// What an access goes to: an allocation, or an object in shared memory.
struct target {
  const region* allocation = nullptr;
  const void* tag = nullptr;   // of static shared memory
  bool dynamic = false;        // shared memory
  const char* name = nullptr;  // of the variable
  std::ptrdiff_t offset = 0;
  std::size_t size = 0;
};
target target_in(const region* r, std::uintptr_t address);
target target_in(const block& owner, std::uintptr_t shared_address);
std::string name_of(const target& t);

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
  bool ends = false;  // the launch
  std::uint64_t count = 1;
};

/// A thread that can't go on, and what it does: waits, spins, has ended.
struct raw_party {
  uint3 block{}, thread{};
  unsigned warp = 0;
  place at;               // the word that it is in, if it is in one; else
  std::uintptr_t pc = 0;  // its position in the code
  std::string doing;
  unsigned threads = 1;
};
struct raw_hazard {
  finding_kind kind{};
  std::string detail;
  std::vector<raw_party> parties;
};

/// Which of the values that must be read were, and by which code.
struct read_map {
  explicit read_map(const value_range& of) : range(of), sites(of.count) {}
  value_range range;
  lazy_array<std::uint32_t> sites;  // low halves of code positions; 0: not read

  void note(std::uintptr_t address, unsigned bytes, std::uintptr_t pc);
  [[nodiscard]] bool touches(const region& r) const;
};

struct launch_record {
  std::uint16_t id = 0;
  const void* kernel = nullptr;
  dim3 grid, block;
};

/// What an `observe` scope keeps of its checked launches.
struct scope_record {
  std::vector<launch_record> launches;  // the last few
  std::vector<finding> carried;  // atomics on what the same atomic of an earlier launch had left
  std::vector<std::shared_ptr<read_map>> must_read;
};
scope_record& record_of(const observe& scope);

struct launch_check {
  std::uint16_t id = 0;     // starts again when it has run through
  unsigned generation = 0;  // how often it has
  std::vector<region> regions;
  std::vector<std::shared_ptr<read_map>> must_read;
  std::atomic<std::uint64_t> releases{1};  // so that who acquired anything has more than 0
  std::mutex mutex;                        // of all below
  std::unordered_map<std::uint32_t, std::vector<release_mark>> released;  // by block
  bool forgot = false;  // too many blocks: some of what was released is not in there
  std::map<std::tuple<finding_kind, std::uintptr_t, std::uintptr_t>, raw_finding> found, carried;
  std::vector<raw_hazard> hazards;
  bool ended = false;                         // by one of these
  std::map<const worker*, open_pages> pages;  // goes before the regions do

  void publish(std::uint32_t block, release_mark mark);
  bool covers(const access_mark& m, std::uint64_t acquired);
  void add(const raw_finding& f);
  void add_carried(const raw_finding& f);
  open_pages& pages_of(const worker& w);
};

/// An access by which a thread learnt what atomics of others had left in a word.
struct look {
  std::uintptr_t address = 0;
  std::uint32_t thread = 0, stamp = 0;
  access_mark last;  // the last of them when it was over
};

struct lane_check {
  std::uint64_t acquired = 0;  // releases that it has seen
  bool pending = false;        // it is making an atomic: it will see those up to its next access
  bool told = true;            // nothing to release since its last fence
  bool flags = false;          // its next store comes right after a fence
  std::uintptr_t word = 0;     // its next access there is atomic
  std::uintptr_t looking = 0;  // at this word; it is over by the next access
  std::uint32_t looking_stamp = 0;
  std::uintptr_t polled = 0, polled_at = 0;          // what it read last, and where in the code
  std::uint32_t own = 0, in_warp = 0, in_block = 0;  // at its last fence
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
  launch_check* launch = nullptr;
  group_check* home = nullptr;
  open_pages* pages = nullptr;  // of its worker
  std::uint32_t id = 0;
  std::uint32_t met = 0;
  bool pending = false;
  std::uint64_t acquired = 0;
  std::vector<lane_check> lanes;
  std::vector<warp_check> warps;
  std::vector<look> looked;                 // the last ones that are over, in a ring
  std::size_t looks = 0;                    // of all
  std::array<const region*, 64> guesses{};  // by code position
  std::unique_ptr<lazy_array<shared_cell>> cells;
};

struct group_check {
  unsigned generation = 0;
  std::uint32_t clock = 1;
  std::uint32_t met = 0;  // at the cluster's barrier
  std::vector<block_check> blocks;
};

std::shared_ptr<launch_check> open_check(const observe& scope);
/// Gives the scope what was found, with its places in the source.
void close_check(const launch_check& c, const grid& g, observe& scope);
/// The values that the launches of this scope have left unread.
std::vector<finding> unread_values(const observe& scope, const grid& last);

/// The allocation that this address is in or behind; nullptr where there is none.
const region* find_region(const std::vector<region>& regions, std::uintptr_t address);
/// The whole position of which a mark has kept the low half; `near` is in the same program.
std::uintptr_t full_position(std::uint32_t site, std::uintptr_t near);
/// "offset 8 of partials".
std::string describe_address(const block_check& b, const block& of, std::uintptr_t address);
/// Of this launch, or of an earlier one; `of` is the block of `b`.
access_mark last_write(const block_check& b, const block& of, std::uintptr_t address);

/// Source places of code positions.
struct source_place {
  std::string file;
  int line = 0;
};
/// Whether the file is one of the machine's own headers.
bool is_machine(std::string_view file);
std::unordered_map<std::uintptr_t, source_place> source_places(
    const std::vector<std::uintptr_t>& positions);

}  // namespace simt::detail
