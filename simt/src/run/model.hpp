// The machine's own view of a running grid: lanes, warps, blocks, the cluster of blocks that one OS
// thread runs together (usually one block), and the workers. Types only; whoever makes something of
// them has a header of its own.
//
//   grid ──< worker ──< cluster ──< block ──< warp ──< lane        each knows the one it belongs to
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "simt/abi/kernel_table.hpp"
#include "simt/intrinsics.hpp"
#include "simt/launch.hpp"
#include "simt/src/observer.hpp"
#include "simt/src/run/fiber.hpp"
#include "simt/src/run/livelock_detector.hpp"
#include "simt/src/run/log.hpp"
#include "simt/src/run/stacks.hpp"

namespace simt::detail {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned max_threads_per_block = 1024;
inline constexpr unsigned max_cluster = 16;
inline constexpr std::size_t max_shared_bytes = std::size_t{227} * 1024;
inline constexpr std::size_t shared_stride =
    std::size_t{256} * 1024;  // address distance between two blocks

inline constexpr std::size_t unread_blocks = 256;  // basic blocks; small, to stay in the cache

struct worker;

/// One CUDA thread, except for what every switch touches: that lies together in its warp.
struct alignas(64) lane {
  struct warp* warp = nullptr;
  place at;  // the warp operation or cluster barrier that it waits in or was in last
  uint3 thread_idx{};
  std::uint32_t carry = 0;   // the last basic block it entered before what its log holds
  std::uint32_t before = 0;  // the one before that
  std::uint8_t index = 0;    // in the warp
  std::uint32_t met = 0;     // the lanes that came to `call` together with it
  const void* call = nullptr;
  bool carry_flag = false;  // of PTX's add.cc

  /// These basic blocks leave its log.
  void keep_last(const std::uint32_t* begin, const std::uint32_t* end) {
    if (begin == end) return;
    before = end - begin > 1 ? end[-2] : carry;
    carry = end[-1];
  }
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
  struct block* block = nullptr;
  unsigned index = 0;
  std::uint32_t live = 0;
  std::uint32_t ready = 0;
  std::uint32_t spinning = 0;
  std::uint32_t elsewhere = 0;   // waiting, but not at the block's barrier
  std::uint32_t converging = 0;  // of these, until all that can have come to the same call
  std::uint32_t in_step = 0;     // of these, for the sake of volatile accesses
  std::uint32_t computing = 0;   // of those spinning, whose time slice ended
  std::uint32_t whole = 0;       // the lanes that it started with
  unsigned delays = 0;           // how often `converging` was put off for `spinning`
  bool sequential = true;        // lanes in order, and nothing is counted
  std::array<fiber, warp_size> fibers{};
  const std::byte* stacks = nullptr;  // of lane 0; the others' follow
  std::array<lane, warp_size> lanes;
  std::unique_ptr<warp_log> log;        // while it runs and an observer reads it
  std::deque<collective> collectives;   // a deque: lanes hold references while they wait
  std::unique_ptr<lane_states> states;  // while its worker looks for a livelock
  struct {
    std::uint32_t rank = 0;        // of its call
    std::uintptr_t looked_at = 0;  // a word, while others waited for it
    unsigned char saw = 0;         // there
    std::uint16_t again = 0;       // how often it has come back to that
  } steps[warp_size];              // of lanes in lockstep
  unsigned stepped = 0;            // how often lanes have come to each other so
};

inline constexpr unsigned barriers_with_numbers = 16;

/// A barrier with a number: bar.sync.
struct named_barrier_state {
  unsigned expected = 0, arrived = 0;  // threads
  std::vector<std::uint32_t> waiting;  // lanes of each warp
};

/// Ends a thread in the middle of its kernel; nobody but the machine catches it.
struct thread_exit {};

struct block {
  struct cluster* cluster = nullptr;
  unsigned rank = 0;         // in the cluster
  void* attached = nullptr;  // by the checker, for this launch
  unsigned threads = 0;
  uint3 block_idx{};
  std::uint32_t ready_warps = 0;
  unsigned live = 0;
  unsigned arrived = 0;        // at the block barrier
  lane* first_exit = nullptr;  // the first thread that ended
  place barrier;               // where the first thread arrived
  const void* barrier_call = nullptr;
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
  /// Behind those of bar.sync, those of tiles of two warps or more: of 1024 threads one, of 512
  /// two, …
  std::array<named_barrier_state, barriers_with_numbers + 32> named_barriers;
};

struct cluster {
  struct worker* worker = nullptr;
  unsigned threads_per_block = 0;
  unsigned fibers_per_block = 0;  // as many, or one that runs all threads
  std::vector<block> blocks;
  unsigned live = 0;
  unsigned cluster_arrived = 0;
  bool preempted = false;        // a lane yielded: it may get on if resumed
  unsigned resumed = 0;          // in a row, while other clusters waited
  bool lanes_ran = false;        // on stacks of their own, which nobody has tested since
  std::vector<std::byte> frame;  // of a block that one fiber runs
  std::byte* mapping = nullptr;
  std::byte* stacks = nullptr;
  std::byte* memory = nullptr;  // shared memory of every block
  std::size_t memory_bytes = 0, stacks_bytes = 0;
  std::size_t stack_of_each = stack_bytes;  // thread
  std::shared_ptr<void> attached;           // by the checker; it stays from launch to launch

  cluster(struct worker& w, unsigned size, unsigned threads);
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;
  ~cluster();

  /// A thread that has used more stack than there is, or nullptr. Its neighbour's is then spoilt.
  [[nodiscard]] const lane* overflowed() const;
  /// Makes every lane ready for the cluster with this number in the grid.
  void begin(const grid& g, std::uint64_t number);

 private:
  void lay_out(block& b, std::byte* stack);
  void begin(block& b, const grid& g);
  void begin_lanes(block& b, const grid& g);
};

inline unsigned blocks_of_cluster(const launch_config& c) {
  return c.cluster.x * c.cluster.y * c.cluster.z;
}

/// One launch, shared by its workers.
struct grid {
  const launch_config& config;
  const run_options& options;
  const void* kernel;
  entry body;
  void* arguments;
  unsigned threads_per_block;
  std::uint64_t clusters;
  engine_kind engine = engine_kind::watched;  // which of these runs it
  entry plain_body = body;                    // and what it calls in place of the two above
  const void* plain_code = kernel;
  std::size_t frame_bytes = 0;
  std::vector<std::uint32_t> order;  // of the clusters; empty: ascending
  std::atomic<std::uint64_t> next_cluster{0};
  std::atomic<std::uint64_t> progress{0};  // threads ended, barriers passed
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::string failure;  // the first one
  fault failure_kind = fault::other;
  std::uintptr_t failure_position = 0;   // in the code, where the message has no place in it
  std::exception_ptr thrown;             // by a worker itself: it found no memory
  std::span<observer* const> observers;  // by worker; none: nobody looks on
  livelock_agreement agreement;
  std::size_t most_resident = 4;       // clusters in flight on one worker, while any gets on
  std::uint64_t most_held = 0;         // clusters that the device holds at once
  std::atomic<std::uint64_t> held{0};  // in flight
  double limit_seconds = 0;            // 0: none
  std::chrono::steady_clock::time_point deadline{};  // if there is one
  std::atomic<bool> named{false};                    // the kernel's name is known
  std::atomic<std::uint64_t> ended{0};               // blocks
  std::atomic<std::uint64_t> arrived{0};             // blocks, at all barriers of the grid so far

  /// Of a failure that will be told next: where in the code.
  void note_position(std::uintptr_t position);
  /// Ends the launch; the first failure is kept.
  void fail(const std::string& what, fault kind = fault::other);
};

/// A fault of a thread that is not known.
struct stray_thread {
  std::uint64_t block = 0;  // in the grid
  std::uintptr_t position = 0;
  fault kind = fault::other;
  std::string what;
};

/// In which blocks, warps and lanes run; run_options::seed picks it.
enum class run_order : std::uint8_t { ascending, descending, random, starving };

/// One OS thread's share of a launch, and what it keeps between launches.
struct worker {
  grid* launched = nullptr;
  class observer* observer = nullptr;  // of the launch; nullptr: nobody looks on
  counters total;                      // of the launch, what is counted without an observer too
  std::mt19937_64 random;
  std::vector<std::unique_ptr<cluster>> resident, idle;
  std::array<std::uint32_t, unread_blocks> unread;  // takes the guards when nobody reads them
  run_order order{};                                // of the launch
  std::uint64_t yield_seed = 0;                     // of lanes that yield in random orders
  /// Of every block the warp, of every warp the lane that runs when no other can.
  std::uint32_t last_warp = 0, last_lane = 0;
  bool tests_stacks = false;  // at every switch, until the first cluster is done
  cluster* running = nullptr;
  entry body = nullptr;        // of the launch, as its engine has it
  const void* code = nullptr;  // what `body` calls
  bool whole_blocks = false;   // `body` runs all threads of a block
  std::optional<stray_thread> stray;
  fiber own_fiber = nullptr;
  livelock_detector livelock{*this};

  void run(grid& g, unsigned index);
  /// On the fiber of a block's first lane: this block and, where blocks do not wait for each other,
  /// others until there are no more.
  void run_blocks(lane& first);
  /// The running thread has gone round a loop often, at this position (0: not known). Does not
  /// return where the launch is over.
  void keep_running(std::uint32_t thread, bool only_reads, const void* registers,
                    std::uintptr_t position = 0);
  /// Nothing has made progress for so long: says so on stderr, once in a launch.
  void say_waiting(double seconds);

 private:
  struct wait;

  void begin(grid& g, unsigned index);
  void run_whole_blocks();
  void begin_again();
  [[nodiscard]] const lane* a_live_lane() const;
  [[nodiscard]] bool is_past_limit() const;
  void take_order(std::uint64_t seed);
  std::size_t choose(wait& since);
  bool start_cluster();
  bool start_more();
  void stop_at_limit(const std::string& where);
  void resume(cluster& c);
  void retire(std::size_t index);
  void test_idle_stacks();
};

inline block& block_of(const lane& l) { return *l.warp->block; }
inline worker& worker_of(const block& b) { return *b.cluster->worker; }
inline worker& worker_of(const lane& l) { return worker_of(block_of(l)); }
inline grid& grid_of(const block& b) { return *worker_of(b).launched; }
inline grid& grid_of(const lane& l) { return grid_of(block_of(l)); }

}  // namespace simt::detail
