// Reduces runs of equal neighbouring keys in one pass over memory: to one pair a run, or to the
// prefix of each value within its run. Blocks take tile after tile (striped_tile):
//
//   reduce      where runs end in tile i; each value's prefix in its run, as far as its warp goes
//   -- barrier --
//   pack        the partial of tile i is published; its results go to shared memory; the loads of
//               tile i + 1 begin
//   look_back   waits for what is before tile i - 1
//   -- barrier --
//   store       tile i - 1, from shared to global memory; the run that began before it is completed
//
// A run's number is how many runs end before it. Its key is stored by the tile where it begins, its
// value by the tile where it ends:
//
//   keys                 | a a | a b b c c | c c d |
//   runs that end        |  0  |     2     |   2   |
//   the open run after   |  a  |     c     | none  |
//
// Reads each key and value once, writes each result once; two barriers a tile. Any associative
// operator, without an identity; values meet in an order that depends on their number alone: the
// same bits from run to run. The values' output may be their input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/warp/redux.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What a range of values comes to: how many runs end in it, and the reduction of those after the
/// last end, if there are any: the open run.
template <class Acc>
struct run_partial {
  std::uint32_t ended_low, ended_high_and_open;
  Acc value;

  static __host__ __device__ run_partial of(std::uint64_t ended, bool open, const Acc& value) {
    return {static_cast<std::uint32_t>(ended),
            static_cast<std::uint32_t>(ended >> 32 << 1 | (open ? 1 : 0)), value};
  }
  [[nodiscard]] __host__ __device__ std::uint64_t ended() const {
    return std::uint64_t{ended_high_and_open >> 1} << 32 | ended_low;
  }
  [[nodiscard]] __host__ __device__ bool open() const { return (ended_high_and_open & 1) != 0; }
};

template <class Op>
struct run_op {
  Op op;

  template <class Partial>
  __device__ Partial operator()(const Partial& a, const Partial& b) const {
    if (b.ended() == 0 && !b.open()) return a;
    const bool joins = b.ended() == 0 && a.open();
    return Partial::of(a.ended() + b.ended(), b.open(), joins ? op(a.value, b.value) : b.value);
  }
  template <class Partial>
  __device__ static Partial identity() {
    return {};
  }
};

enum class run_output { pairs, inclusive, exclusive };

/// As many values as keys, in device memory.
template <class V>
struct values_at {
  using value_type = V;
  const V* values;

  template <class Shape>
  __device__ __forceinline__ void load(V (&value)[Shape::items],
                                       const striped_tile<Shape>& tile) const {
    tile.load(value, values);
  }
};
/// The same value for every key.
template <class V>
struct constant_values {
  using value_type = V;
  V constant;

  template <class Shape>
  __device__ __forceinline__ void load(V (&value)[Shape::items], const striped_tile<Shape>&) const {
#pragma unroll
    for (unsigned k = 0; k < Shape::items; ++k) value[k] = constant;
  }
};

template <run_output Output, class K, class Values, class Out, class Acc, class Op, class Equal>
struct run_problem {
  static constexpr run_output output = Output;
  using key_type = K;
  using value_type = typename Values::value_type;
  using acc_type = Acc;

  const K* keys;
  Values values;
  value_count count;
  K* out_keys;        // of pairs
  Out* out;           // a value a run, or a value a key
  std::size_t room;   // of the outputs
  std::size_t* runs;  // how many there are, in the end; of pairs
  Acc init;           // of an exclusive scan
  Op op;
  Equal equal;

  /// Of pairs: the key of run i where it begins, what the run comes to where it ends.
  __device__ __forceinline__ void put_key(std::size_t i, const K& key) const { out_keys[i] = key; }
  __device__ __forceinline__ void put(std::size_t i, const K&, const Acc& sum) const {
    out[i] = static_cast<Out>(sum);
  }
};

template <class Shape, class Problem>
struct run_storage {
  static constexpr bool has_keys = Problem::output == run_output::pairs;
  static constexpr bool is_exclusive = Problem::output == run_output::exclusive;
  static constexpr unsigned warps = Shape::threads / warp_size;
  using acc_type = typename Problem::acc_type;

  struct stage {
    alignas(16) acc_type value[Shape::values];
    typename Problem::key_type key[has_keys ? Shape::values + 1 : 1];
    unsigned char is_end[is_exclusive ? Shape::values : 1];  // a run ends at the value
    unsigned first_end;                                      // in the tile, if a run ends there
  };
  stage stages[2];
  run_partial<acc_type> warp_total[warps];
  tile_queue::storage queue;
  typename block_look_back<run_partial<acc_type>, Shape::threads>::storage look_back;
};

template <class Shape, class Problem>
struct run_block {
  using K = typename Problem::key_type;
  using V = typename Problem::value_type;
  using Acc = typename Problem::acc_type;
  using Op = decltype(Problem::op);
  using Out = std::remove_pointer_t<decltype(Problem::out)>;
  using partial = run_partial<Acc>;
  using storage = run_storage<Shape, Problem>;
  using stage_type = typename storage::stage;
  using tile_type = striped_tile<Shape>;
  using look_back_type = block_look_back<partial, Shape::threads>;
  static constexpr run_output output = Problem::output;
  static constexpr unsigned items = Shape::items, warps = storage::warps;
  static constexpr unsigned last_lane = warp_size - 1;
  static constexpr bool needs_key_at_end = requires { Problem::puts_by_key; };  // and there alone

  const Problem& problem;
  storage& shared;
  const tile_queue& queue;
  std::size_t n;
  std::uint32_t epoch = 0;
  unsigned number = 0;  // of the tile in registers

  K key[items];
  V value[items];
  neighbouring_key<K> side;
  unsigned ends;          // where runs end, a bit a value of this thread's
  Acc run_prefix[items];  // each value's prefix in its run, as far as the warp goes

  __device__ run_block(const Problem& p, storage& s, const tile_queue& q, std::size_t count)
      : problem(p), shared(s), queue(q), n(count) {}

  __device__ __forceinline__ bool has_tile() const { return number < queue.tiles; }
  __device__ __forceinline__ run_op<Op> op() const { return {problem.op}; }
  __device__ __forceinline__ look_back_type look_back() const {
    return {queue.state, shared.look_back, epoch, false};
  }

  __device__ __forceinline__ tile_status::peeked<partial> peek(unsigned from, unsigned none) const {
    if (queue.is_single_tile() || from == none) return {};
    return look_back().peek(from);
  }
  /// For what is before the tile; a barrier is due before `store`.
  __device__ __forceinline__ void wait(unsigned from,
                                       const tile_status::peeked<partial>& seen) const {
    if (!queue.is_single_tile()) look_back().wait(from, seen, op());
  }

  __device__ __forceinline__ void start() {
    if (threadIdx.x == 0) shared.queue.next = queue.acquire(~0U);
    __syncthreads();
    epoch = shared.queue.next.epoch;
    take_next();
    __syncthreads();
  }
  __device__ __forceinline__ void reduce() {
    dynamic_id next{};
    if (threadIdx.x == 0) next = queue.acquire(number);
    const tile_type tile(n, number);
    find_ends(tile);
    row_carry carry{};
#pragma unroll
    for (unsigned r = 0; r < Shape::rows; ++r) scan_row(r * Shape::width, tile, carry);
    const unsigned ended = warp_reduce(static_cast<unsigned>(__popc(ends)), plus{}, by_redux{});
    const std::uint64_t all_ended = shuffle(ended, 0);
    if (threadIdx.x % warp_size == last_lane) {
      const bool open = carry.open && tile.there(items - 1);
      shared.warp_total[threadIdx.x / warp_size] = partial::of(all_ended, open, carry.value);
    }
    if (threadIdx.x == 0) shared.queue.next = next;
  }
  /// What the tile comes to.
  __device__ __forceinline__ partial pack(stage_type& stage) {
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const partial none = op().template identity<partial>();
    const partial totals = scan_lanes<warps>(lane < warps ? shared.warp_total[lane] : none, op());
    partial before = shuffle(totals, warp == 0 ? 0 : warp - 1);
    if (warp == 0) before = none;
    const partial total = shuffle(totals, warps - 1);
    if (threadIdx.x == 0 && !queue.is_single_tile()) look_back().publish_total(number, total);
    const tile_type tile(n, number);
    const auto first_run = static_cast<unsigned>(before.ended());
    unsigned before_row[Shape::rows];
    count_before_rows<Shape>(ends, before_row);
    bool row_was_end = !before.open();  // at the value before the row
    unsigned run = 0;
    bool begins = false;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      if (k % Shape::width == 0) {
        run = first_run + before_row[k / Shape::width];
        const unsigned last_ends = ends_of_lanes(k);
        begins = lane == 0 ? row_was_end : (last_ends >> (lane - 1) & 1) != 0;
        row_was_end = (last_ends >> last_lane) != 0;
      }
      const bool is_end = (ends >> k & 1) != 0;
      if (tile.there(k)) {
        if (before.open() && run == first_run)
          run_prefix[k] = problem.op(before.value, run_prefix[k]);
        put(stage, k, run, begins, is_end);
      }
      run += is_end ? 1 : 0;
      begins = is_end;
    }
    take_next();
    return total;
  }
  __device__ __forceinline__ void store(unsigned from, const partial& total,
                                        const stage_type& stage) const {
    partial before = op().template identity<partial>();
    if (!queue.is_single_tile()) before = look_back().prefix(from, total, op());
    if constexpr (output == run_output::pairs) {
      if (threadIdx.x == 0 && from == queue.tiles - 1 && problem.runs != nullptr) {
        *problem.runs = before.ended() + total.ended();
      }
      store_pairs(before, total, stage);
    } else {
      const tile_type tile(n, from);
      const unsigned joined = !before.open()       ? 0  // values of the run that began before
                              : total.ended() == 0 ? tile.size
                                                   : stage.first_end + 1;
      for (unsigned i = threadIdx.x; i < tile.size; i += Shape::threads) {
        problem.out[tile.base + i] = static_cast<Out>(scanned(i, before, joined, stage));
      }
    }
  }

 private:
  /// The open run at the end of a row.
  struct row_carry {
    bool open;
    Acc value;
  };

  __device__ __forceinline__ void find_ends(const tile_type& tile) {
    const unsigned lane = threadIdx.x % warp_size;
    ends = 0;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      K after = key[(k + 1) % items];
      if (k % Shape::width == Shape::width - 1) {
        const K row_after = k + 1 < items ? shuffle(after, 0) : side.key;
        after = shuffle_down(key[k + 1 - Shape::width], 1);
        if (lane == last_lane) after = row_after;
      }
      const bool is_last = tile.base + tile.place(k) + 1 == n;
      if (tile.there(k) && (is_last || !problem.equal(key[k], after))) ends |= 1U << k;
    }
  }
  /// Of the row from value k on: the lanes whose last value ends a run.
  __device__ __forceinline__ unsigned ends_of_lanes(unsigned k) const {
    return __ballot_sync(all_lanes, (ends >> (k + Shape::width - 1) & 1) != 0);
  }
  /// Folds each lane's values, then what the lanes' last runs come to across the lanes, then that
  /// into the values of each lane's first run.
  __device__ __forceinline__ void scan_row(unsigned k, const tile_type& tile, row_carry& carry) {
    constexpr unsigned width = Shape::width;
    const unsigned lane = threadIdx.x % warp_size;
    const unsigned mine = ends >> k & ((1U << width) - 1);
    const bool there = tile.there(k);
#pragma unroll
    for (unsigned j = 0; j < width; ++j) {
      const Acc next = static_cast<Acc>(value[k + j]);
      const bool joins = j > 0 && (mine >> (j - 1) & 1) == 0 && tile.there(k + j);
      run_prefix[k + j] = joins ? problem.op(run_prefix[k + j - 1], next) : next;
    }
    const unsigned lanes_end = ends_of_lanes(k);  // after their last value
    // A run begins within these lanes, or with their first value.
    const unsigned begin = __ballot_sync(all_lanes, mine != 0) | lanes_end << 1;
    const unsigned begin_before = begin & ((2U << lane) - 1);
    const unsigned first =
        begin_before == 0 ? 0 : warp_size - 1 - __clz(static_cast<int>(begin_before));
    const unsigned reach = there ? lane - first : 0;  // lanes before it in its last run
    Acc sum = run_prefix[k + width - 1];
#pragma unroll
    for (unsigned offset = 1; offset < warp_size; offset *= 2) {
      const Acc left = shuffle_up(sum, offset);
      if (reach >= offset) sum = problem.op(left, sum);
    }
    if (carry.open && begin_before == 0 && there) sum = problem.op(carry.value, sum);
    Acc before = shuffle_up(sum, 1);
    bool joins = lane == 0 ? carry.open : (lanes_end >> (lane - 1) & 1) == 0;
    if (lane == 0) before = carry.value;
#pragma unroll
    for (unsigned j = 0; j < width; ++j) {
      if (joins && tile.there(k + j)) run_prefix[k + j] = problem.op(before, run_prefix[k + j]);
      joins = joins && (mine >> j & 1) == 0;
    }
    carry = {(lanes_end >> last_lane) == 0, shuffle(sum, last_lane)};
  }
  __device__ __forceinline__ void put(stage_type& stage, unsigned k, unsigned run, bool begins,
                                      bool is_end) const {
    if constexpr (output == run_output::pairs) {
      if (needs_key_at_end ? is_end : begins) stage.key[run] = key[k];
      if (is_end) stage.value[run] = run_prefix[k];
    } else {
      stage.value[tile_type::place(k)] = run_prefix[k];
      if constexpr (output == run_output::exclusive) stage.is_end[tile_type::place(k)] = is_end;
      if (is_end && run == 0) stage.first_end = tile_type::place(k);
    }
  }
  __device__ __forceinline__ void store_pairs(const partial& before, const partial& total,
                                              const stage_type& stage) const {
    const std::uint64_t first = before.ended();
    const std::size_t room = first < problem.room ? problem.room - first : 0;
    const auto ended = static_cast<unsigned>(total.ended());
    const unsigned begun = ended + (total.open() ? 1 : 0);
    for (unsigned i = threadIdx.x; i < begun && i < room; i += Shape::threads) {
      if (i > 0 || !before.open()) problem.put_key(first + i, stage.key[i]);
      if (i == ended) break;
      Acc sum = stage.value[i];
      if (i == 0 && before.open()) sum = problem.op(before.value, sum);
      problem.put(first + i, stage.key[i], sum);
    }
  }
  __device__ __forceinline__ Acc scanned(unsigned i, const partial& before, unsigned joined,
                                         const stage_type& stage) const {
    const auto inclusive = [&](unsigned at) {
      const Acc sum = stage.value[at];
      return at < joined ? problem.op(before.value, sum) : sum;
    };
    if constexpr (output == run_output::inclusive) {
      return inclusive(i);
    } else {
      const bool begins = i == 0 ? !before.open() : stage.is_end[i - 1] != 0;
      if (begins) return problem.init;
      return problem.op(problem.init, i == 0 ? before.value : inclusive(i - 1));
    }
  }
  __device__ __forceinline__ void take_next() {
    number = shared.queue.next.number;
    if (!has_tile()) return;
    const tile_type next(n, number);
    next.load(key, problem.keys);
    problem.values.load(value, next);
    side.load(next, problem.keys, n);
  }
};

/// The loop is that of select_kernel: one function for both takes 6 to 30 % longer on an H200,
/// since the compiler spills more of a block's registers.
template <class Shape, class Problem>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    run_kernel(Problem problem, tile_status state) {
  auto& shared = *dynamic_shared<run_storage<Shape, Problem>>();
  wait_for_primary();
  trigger_dependents();
  const std::size_t n = problem.count.load();
  const tile_queue queue{state, shared.queue,
                         n == 0 ? 1 : static_cast<unsigned>((n - 1) / Shape::values + 1)};
  run_block<Shape, Problem> block(problem, shared, queue, n);
  block.start();
  constexpr unsigned none = ~0U;
  unsigned packed = none;  // the tile before, in its stage
  run_partial<typename Problem::acc_type> total{};
  for (unsigned i = 0; block.has_tile() || packed != none; ++i) {
    const unsigned now = block.has_tile() ? block.number : none, was = packed;
    const auto was_total = total;
    if (now != none) block.reduce();
    if (now != none || i > 1) __syncthreads();
    const auto seen = block.peek(was, none);
    if (now != none) total = block.pack(shared.stages[i % 2]);
    if (was != none) block.wait(was, seen);
    if (was != none || block.has_tile()) __syncthreads();
    if (was != none) block.store(was, was_total, shared.stages[(i + 1) % 2]);
    packed = now;
  }
  queue.leave(block.epoch);
}

template <class K, class Acc>
using run_shape =
    tuning::run_shape<sizeof(K) + sizeof(Acc), (sizeof(K) > sizeof(Acc) ? sizeof(K) : sizeof(Acc))>;
template <class Problem>
struct run_storage_of {
  template <class Shape>
  using type = run_storage<Shape, Problem>;
};

template <class Problem>
status reduce_runs(const work_place& where, const Problem& problem) {
  return launch_striped<run_shape<typename Problem::key_type, typename Problem::acc_type>,
                        run_partial<typename Problem::acc_type>,
                        run_storage_of<Problem>::template type>(
      where, problem.count.n,
      "the workspace is smaller than reduce_by_key_workspace_bytes<K, Acc>(n)", problem,
      []<class Shape>(Shape) { return run_kernel<Shape, Problem>; });
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
