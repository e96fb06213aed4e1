// The machine's own view of a running grid: lanes, warps, blocks, and the group of blocks (a
// cluster; usually one block) that one OS thread runs together.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simt/src/run/fiber.hpp"
#include "simt/launch.hpp"
#include "simt/words.hpp"
#include "simt/src/count/trace.hpp"

namespace simt::detail {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned max_threads_per_block = 1024;
inline constexpr unsigned max_cluster = 16;
inline constexpr std::size_t max_shared_bytes = std::size_t{227} * 1024;
inline constexpr std::size_t stack_bytes = std::size_t{32} * 1024;  // of a thread
inline constexpr std::size_t shared_stride =
    std::size_t{256} * 1024;  // address distance between two blocks

inline constexpr std::size_t unread_blocks = 256;  // basic blocks; small, to stay in the cache

struct warp;
struct block;
struct group;
struct worker;
struct grid;
struct block_check;
struct group_check;
struct launch_check;
struct watch_log;

/// One CUDA thread, except for what every switch touches: that lies together in its warp.
struct alignas(64) lane {
  warp* home = nullptr;
  place at;  // the warp operation or cluster barrier that it waits in or was in last
  uint3 thread_idx{};
  std::uint32_t carry = 0;   // the last basic block it entered before what its log holds
  std::uint32_t before = 0;  // the one before that
  std::uint8_t index = 0;    // in the warp
  std::uint32_t met = 0;     // the lanes that came to `call` together with it
  const void* call = nullptr;
};

/// One warp-wide operation in flight. Lanes leave their value and take the others' once all named
/// by the mask have come.
struct collective {
  std::uint32_t mask = 0;
  std::uint32_t arrived = 0;
  std::uint32_t unread = 0;  // lanes still to take the result; the record is free when 0
  int kind = 0;
  std::array<std::uint64_t, warp_size> values;
  std::array<std::uint8_t, warp_size> sources;  // whose value each lane will take
};

struct warp {
  block* home = nullptr;
  unsigned index = 0;
  std::uint32_t live = 0;
  std::uint32_t ready = 0;
  std::uint32_t spinning = 0;
  std::uint32_t elsewhere = 0;   // waiting, but not at the block's barrier
  std::uint32_t converging = 0;  // of these, until all that can have come to the same call
  std::uint32_t whole = 0;       // the lanes that it started with
  unsigned delays = 0;           // how often `converging` was put off for `spinning`
  bool sequential = true;        // lanes in order, and nothing is counted
  std::array<fiber, warp_size> fibers{};
  const std::byte* stacks = nullptr;  // of lane 0; the others' follow
  std::array<lane, warp_size> lanes;
  std::unique_ptr<warp_log> log;       // while it runs and counters are on
  std::deque<collective> collectives;  // a deque: lanes hold references while they wait
};

struct block {
  group* home = nullptr;
  unsigned rank = 0;             // in the cluster
  block_check* check = nullptr;  // of a checked launch
  unsigned threads = 0;
  uint3 block_idx{};
  std::uint32_t ready_warps = 0;
  unsigned live = 0;
  unsigned arrived = 0;        // at the block barrier
  lane* first_exit = nullptr;  // the first thread that ended
  place barrier;               // where the first thread arrived
  unsigned votes = 0;          // of those at the barrier now
  unsigned votes_counted = 0;  // of the last barrier that completed
  std::byte* shared = nullptr;
  struct object {
    const void* tag;
    std::size_t begin, end;
    const char* name;  // nullptr: not known
  };
  std::vector<object> storage;  // static shared objects, by type
  std::size_t storage_end = 0, dynamic_bytes = 0;
  std::vector<warp> warps;
};

struct group {
  worker* home = nullptr;
  unsigned threads_per_block = 0;
  std::vector<block> blocks;
  unsigned live = 0;
  unsigned cluster_arrived = 0;
  bool preempted = false;  // a lane gave way: it may get on if resumed
  unsigned resumed = 0;    // in a row without giving other clusters a turn
  std::byte* mapping = nullptr;
  std::byte* stacks = nullptr;
  std::byte* memory = nullptr;  // shared memory of every block
  std::size_t memory_bytes = 0, stacks_bytes = 0;
  std::shared_ptr<group_check> check;  // of a checked launch

  group(worker& w, unsigned cluster, unsigned threads);
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  ~group();

  /// A thread that has used more stack than there is, or nullptr. Its neighbour's is then spoilt.
  [[nodiscard]] const lane* overflowed() const;
  /// Makes every lane ready for the cluster with this index in the grid.
  void begin(const grid& g, std::uint64_t index);
};

/// One launch, shared by its workers.
struct grid {
  const launch_config& config;
  const run_options& options;
  const void* kernel;
  entry body;
  void* arguments;
  unsigned threads_per_block;
  std::uint64_t groups;              // clusters in the grid
  std::vector<std::uint32_t> order;  // of the groups; empty: ascending
  std::atomic<std::uint64_t> next_group{0};
  std::atomic<std::uint64_t> progress{0};  // threads ended, barriers passed
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::string failure;  // the first one
  fault failure_kind = fault::other;
  std::uintptr_t failure_position = 0;  // in the code, where the message has no place in it
  std::exception_ptr thrown;            // by a worker itself: it found no memory
  std::shared_ptr<launch_check> check;
  std::shared_ptr<watch_log> watch;
  std::size_t most_resident = 4;          // clusters in flight on one worker
  std::atomic<bool> named{false};         // the kernel has told its name
  std::atomic<std::uint64_t> ended{0};    // blocks
  std::atomic<std::uint64_t> arrived{0};  // blocks, at all barriers of the grid so far
};

/// In which blocks, warps and lanes run; run_options::seed picks it.
enum class run_order : std::uint8_t { ascending, descending, random, starving };
run_order order_of(std::uint64_t seed);

/// One OS thread's share of a launch, and what it keeps between launches.
struct worker {
  grid* job = nullptr;
  tracer trace;
  std::mt19937_64 random;
  std::vector<std::unique_ptr<group>> resident, idle;
  std::array<std::uint32_t, unread_blocks> unread;  // takes the trail when nobody counts
  bool counts = false;                              // of the job's options
  run_order order{};                                // of the job
  std::uint64_t whim = 0;                           // of lanes that give way in random orders
  /// Of every block the warp, of every warp the lane that runs when no other can.
  std::uint32_t last_warp = 0, last_lane = 0;
  bool watches = false;  // every switch looks for a spoilt stack: until the first cluster is done
  group* running = nullptr;
  fiber home = nullptr;

  void run(grid& g, unsigned index);

 private:
  void take_order(std::uint64_t seed);
  bool start_group();
  void resume(group& g);
  void retire(std::size_t index);
  void finish_counting();
};

/// Ends the launch: no lane of `stuck` can go on, or all that can `spins` without progress. Says
/// who waits where, and who will never come.
void give_up(const group& stuck, bool spins);

/// From now on, a kernel that accesses what is no memory fails; the program goes on.
void catch_faults();

/// Throws launch_error for a shape no device takes.
void check_shape(const launch_config& config);

/// The scope that watches this thread's launches, or nullptr.
observe* observer();

/// Adds up what the launch counted and enters it in `scope`.
void enter_counts(const grid& g, std::span<const std::unique_ptr<worker>> workers, observe& scope);

/// The words of the hooks' hot path, one set per OS thread.
struct hot_state {
  std::uint32_t* guard_cursor = nullptr;
  const std::uint32_t* guard_begin = nullptr;  // of the log, while counting
  std::uint32_t* guard_limit = nullptr;
  memory_event* memory_cursor = nullptr;
  memory_event* memory_limit = nullptr;
  bool counting = false;
  bool watching = false;           // counting, checking, or keeping steps
  bool restless = false;           // lanes give way now and then
  block_check* check = nullptr;    // of the running block
  watch_log* watch = nullptr;      // of the launch
  std::uintptr_t shared_base = 0;  // of the running lane's block
  std::uintptr_t group_base = 0;   // of its cluster: one stride for each block
  std::uintptr_t group_bytes = 0;
  unsigned rounds = 0;  // of the trail that nobody reads
  lane* current = nullptr;
  warp* at = nullptr;  // its warp
};
extern constinit thread_local hot_state hot [[gnu::tls_model("initial-exec")]];

/// The warp of the running lane met the others: counts what its lanes did since they last did.
void count_epoch(lane& self);

/// Until the hooks are aimed again, nothing is logged. Needed wherever the machine does more than a
/// little for a lane: the linker may have given it a kernel file's copy of a standard function.
void hush_hooks();

void note_access(const volatile void* p, access_kind kind, unsigned bytes, void* pc);

// What the checker wants to know; called while hot.check is set.
void check_access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
                  std::uintptr_t pc);
/// An access of `first` and others of its warp took so many passes more than it need have.
void report_conflict(const lane& first, std::uint64_t site, std::uint64_t address,
                     std::uint64_t passes);
[[noreturn]] void check_misaligned(std::uintptr_t address, access_kind kind, space where,
                                   std::uintptr_t pc);
void check_copy_in(const void* shared, const void* global, std::size_t bytes, std::uintptr_t pc);
void check_copy_out(const void* global, const void* shared, std::size_t bytes, std::uintptr_t pc);
void check_block_barrier(const block& b);
void check_cluster_barrier(const group& g);
void check_grid_arrival(const block& b);
void check_grid_departure(const block& b);
void check_meeting(const warp& w, std::uint32_t mask);
void check_fence();
void check_word(std::uintptr_t word, bool release);
void begin_check(group& g, const grid& of, std::uint64_t index);

// What a watched launch keeps; called while hot.watch is set.
void watch_access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
                  std::uintptr_t pc);
void watch_copy(std::byte* shared, const void* global, std::size_t bytes, std::uintptr_t pc);
/// The running lane is about to give way to another.
void watch_leaving(const lane& self);
void watch_block_barrier(const block& b);
void watch_cluster_barrier(const group& g);
void watch_meeting(const warp& w, const collective& c, const lane& last, bool exchanges);
/// The last thread of its block has ended.
void watch_end(const lane& last);
std::shared_ptr<watch_log> open_watch(observe& scope, const void* kernel);

/// Lets others run: the time slice is over.
void give_way();
/// The same, one time in four.
void give_way_at_times();

/// Ends the fiber's run for good and goes back to its worker. The launch has failed.
[[noreturn]] void abandon(lane& self);

/// Whether this thread has written past the end of its stack.
bool overflowed(const lane& l);
[[noreturn]] void fail_stack(const lane& self);
/// The kernel let an exception out.
[[noreturn]] void fail_thrown(const lane& self, const std::exception_ptr& thrown);
inline constexpr const char* stack_advice =
    "used more stack than a thread has, 28 KiB; keep large arrays in device memory";

/// Points the fiber of `l` at the start of its life on this stack.
void reset_fiber(lane& l, std::byte* stack_top, std::size_t size);

/// Basic blocks instrumented in this process; their ids are 1 to this.
std::uint32_t known_blocks();
/// Where one begins in the code; 0 if the compiler did not say.
std::uintptr_t position_of_block(std::uint32_t id);
/// Where every function begins in the code, and its first basic block.
std::vector<std::pair<std::uintptr_t, std::uint32_t>> known_functions();
/// Where the last basic block that `l` entered in this checked launch begins; of a thread that has
/// ended the one before, since the end is the same for all. 0 if not known.
std::uintptr_t last_position(const lane& l);

/// Leaves the running lane, which somebody will make ready, and returns when it is scheduled again.
void switch_away();

/// Ends the launch with this message. The kernel does not go on.
[[noreturn]] void fail(const lane& self, const std::string& what, fault kind = fault::other);
/// The same for what a checked launch finds: there it becomes a finding. `other` is the thread that
/// it has to do with, if there is one.
[[noreturn]] void fail_hazard(lane& self, finding_kind kind, const std::string& what,
                              const lane* other = nullptr, const std::string& other_does = {});
/// Ends a checked launch: why was found already.
[[noreturn]] void fail_checked(lane& self);

/// "kernel 'k', block (0,0,0), thread (3,0,0)", and the place where it waits if it does.
std::string describe(const lane& self);
std::string describe(const place& where);
std::string where_is(const block& b);
std::string kernel_name(const void* kernel);
/// Takes it from __PRETTY_FUNCTION__, which knows also what no symbol tells.
void name_kernel(const void* kernel, const char* signature);
const char* name_of(word what);
std::string hex(std::uint32_t mask);
std::string triple(const uint3& v);
uint3 unflatten(std::uint64_t i, const dim3& shape);

[[noreturn]] void fail_outside(const char* what);
/// The running lane; an error when `what` stands outside a kernel.
inline lane& running(const char* what) {
  if (hot.current == nullptr) [[unlikely]]
    fail_outside(what);
  return *hot.current;
}
/// These basic blocks leave the log of `l`.
inline void keep_last(lane& l, const std::uint32_t* begin, const std::uint32_t* end) {
  if (begin == end) return;
  l.before = end - begin > 1 ? end[-2] : l.carry;
  l.carry = end[-1];
}
inline block& home_of(const lane& l) { return *l.home->home; }
inline const grid& grid_of(const lane& l) { return *home_of(l).home->home->job; }
/// Its number in the grid.
unsigned number_of(const block& b);

void make_ready(warp& w, std::uint32_t lanes);

/// No lane of `w` can go on, but some converge: lets those that came to one call do so.
void converge(warp& w);

/// The lane that was running has ended.
void end_lane(lane& self);

}  // namespace simt::detail
