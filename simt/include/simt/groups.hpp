// CUDA's cooperative groups: the block, tiles of a warp, the lanes that are here together, the
// cluster, the grid.
#pragma once

#include "simt/cuda.hpp"
#include "simt/kernel.hpp"
#include "simt/lanes.hpp"

#define SIMT_HERE const char *file_ = __builtin_FILE(), int line_ = __builtin_LINE()
#define SIMT_AT(name) \
  simt::detail::place { file_, line_, simt::detail::intrinsic::name }
#define SIMT_WORD [[clang::convergent, gnu::always_inline]]

namespace cooperative_groups {

namespace detail {

inline unsigned lanes_below() { return (1U << simt::detail::lane_index()) - 1; }
inline unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

/// Who arrives at the barrier of a group and waits for it later. All of it happens at the wait.
struct arrival_token {};

}  // namespace detail

/// Any of the groups within a block.
class thread_group {
 public:
  SIMT_WORD void sync(SIMT_HERE) const {
    if (mask_ == 0) {
      simt::detail::block_barrier(SIMT_AT(syncthreads));
    } else {
      simt::detail::warp_barrier(SIMT_AT(syncwarp), mask_);
    }
  }
  [[nodiscard]] unsigned size() const {
    return mask_ == 0 ? detail::block_threads() : static_cast<unsigned>(__popc(mask_));
  }
  [[nodiscard]] unsigned num_threads() const { return size(); }
  [[nodiscard]] unsigned thread_rank() const {
    return mask_ == 0 ? detail::rank_in_block()
                      : static_cast<unsigned>(__popc(mask_ & detail::lanes_below()));
  }

 protected:
  explicit thread_group(unsigned mask) : mask_(mask) {}
  unsigned mask_;  // lanes of the warp; 0: the block

  friend thread_group tiled_partition(const thread_group& parent, unsigned size);
};

class thread_block : public thread_group {
 public:
  thread_block() : thread_group(0) {}
  SIMT_WORD static void sync(SIMT_HERE) { simt::detail::block_barrier(SIMT_AT(syncthreads)); }
  using arrival_token = detail::arrival_token;
  [[nodiscard]] static arrival_token barrier_arrive() { return {}; }
  SIMT_WORD static void barrier_wait(arrival_token&&, SIMT_HERE) { sync(file_, line_); }
  [[nodiscard]] static unsigned size() { return detail::block_threads(); }
  [[nodiscard]] static unsigned num_threads() { return size(); }
  [[nodiscard]] static unsigned thread_rank() { return detail::rank_in_block(); }
  [[nodiscard]] static dim3 group_index() { return uint3(blockIdx); }
  [[nodiscard]] static dim3 thread_index() { return uint3(threadIdx); }
  [[nodiscard]] static dim3 group_dim() { return blockDim; }
  [[nodiscard]] static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }
/// Memory that a device needs for tiles of several warps.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
  char none;
};
template <unsigned MaxBlockSize>
thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return {};
}

/// Some lanes of a warp, numbered from 0 in their order.
class coalesced_group : public thread_group {
 public:
  template <class T>
  SIMT_WORD T shfl(T value, unsigned rank, SIMT_HERE) const {
    return __shfl_sync(mask_, value, lane(rank), 32, file_, line_);
  }
  template <class T>
  SIMT_WORD T shfl_down(T value, unsigned delta, SIMT_HERE) const {
    return shfl(value, rank_at(steps(static_cast<int>(delta))), file_, line_);
  }
  template <class T>
  SIMT_WORD T shfl_up(T value, int delta, SIMT_HERE) const {
    return shfl(value, rank_at(-steps(delta)), file_, line_);
  }
  SIMT_WORD int any(int predicate, SIMT_HERE) const {
    return __any_sync(mask_, predicate, file_, line_);
  }
  SIMT_WORD int all(int predicate, SIMT_HERE) const {
    return __all_sync(mask_, predicate, file_, line_);
  }
  SIMT_WORD unsigned ballot(int predicate, SIMT_HERE) const {
    return packed(__ballot_sync(mask_, predicate, file_, line_));
  }
  template <class T>
  SIMT_WORD unsigned match_any(T value, SIMT_HERE) const {
    return packed(__match_any_sync(mask_, value, file_, line_));
  }
  template <class T>
  SIMT_WORD unsigned match_all(T value, int& all_equal, SIMT_HERE) const {
    return packed(__match_all_sync(mask_, value, &all_equal, file_, line_));
  }
  [[nodiscard]] unsigned meta_group_size() const { return count_; }
  [[nodiscard]] unsigned meta_group_rank() const { return rank_; }

  /// The lane with this rank.
  [[nodiscard]] int lane(unsigned rank) const {
    unsigned rest = mask_;
    for (; rank != 0 && (rest & (rest - 1)) != 0; --rank) rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  [[nodiscard]] unsigned lanes() const { return mask_; }

 protected:
  explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned count = 1)
      : thread_group(mask), rank_(rank), count_(count) {}

  /// A mask of lanes as a mask of ranks.
  [[nodiscard]] unsigned packed(unsigned lanes) const {
    unsigned ranks = 0, rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++rank) {
      ranks |= (lanes & rest & -rest) != 0 ? 1U << rank : 0;
    }
    return ranks;
  }

  friend coalesced_group coalesced_threads(const char* file_, int line_);
  friend coalesced_group group_of_lanes(unsigned mask, unsigned rank, unsigned count);

 private:
  /// A whole warp shuffles as the instruction does. In others CUDA looks for the n-th lane from the
  /// own one on, which in both directions is the first.
  [[nodiscard]] int steps(int delta) const {
    if (size() == 32) return delta & 31;
    return delta >= 0 ? delta : delta > -2 ? 0 : delta + 2;
  }
  /// Its own rank where there is no such lane.
  [[nodiscard]] unsigned rank_at(long long steps) const {
    const long long rank = thread_rank() + steps;
    return rank >= 0 && rank < size() ? static_cast<unsigned>(rank) : thread_rank();
  }

  unsigned rank_, count_;  // among the partitions of a group
};

inline coalesced_group group_of_lanes(unsigned mask, unsigned rank = 0, unsigned count = 1) {
  return coalesced_group(mask, rank, count);
}
inline thread_group this_thread() { return group_of_lanes(1U << simt::detail::lane_index()); }
SIMT_WORD inline coalesced_group coalesced_threads(SIMT_HERE) {
  return coalesced_group(simt::detail::converged_lanes(SIMT_AT(activemask)));
}

namespace detail {

template <class T>
struct tile_values {
  alignas(16) unsigned char bytes[1024][sizeof(T)];
};

/// Every thread of a tile leaves its value, and takes `from(read, rank)` of them all; `read(i)` is
/// the one of rank i. One operation of the device, so nothing of it is counted.
template <class T, class Take>
[[gnu::noinline, clang::convergent, clang::no_sanitize("coverage")]] T exchange_in_tile(
    simt::detail::place at, unsigned size, const T& value, Take take) {
  static_assert(simt::detail::is_moved_by_bytes<T>,
                "a tile takes values whose bytes are all there is to them");
  using values = tile_values<T>;
  auto& all = simt::detail::shared_variable<values, 0, values>("a tile's values");
  const unsigned own = rank_in_block(), tile = own / size, first = tile * size;
  std::memcpy(all.bytes[own], static_cast<const void*>(&value), sizeof(T));
  simt::detail::tile_barrier(at, tile, size);
  const T taken = take(
      [&](unsigned rank) {
        T one;
        std::memcpy(static_cast<void*>(&one), all.bytes[first + rank], sizeof(T));
        return one;
      },
      own - first);
  simt::detail::tile_barrier(at, tile, size);
  return taken;
}

/// Several warps.
template <unsigned Size>
class large_tile {
 public:
  large_tile(unsigned rank, unsigned count) : rank_(rank), count_(count) {}
  SIMT_WORD void sync(SIMT_HERE) const {
    simt::detail::tile_barrier(SIMT_AT(syncthreads), rank_in_block() / Size, Size);
  }
  [[nodiscard]] static constexpr unsigned size() { return Size; }
  [[nodiscard]] static constexpr unsigned num_threads() { return Size; }
  [[nodiscard]] static unsigned thread_rank() { return rank_in_block() % Size; }
  [[nodiscard]] unsigned meta_group_rank() const { return rank_; }
  [[nodiscard]] unsigned meta_group_size() const { return count_; }
  template <class T>
  SIMT_WORD T shfl(T value, unsigned rank, SIMT_HERE) const {
    return exchange_in_tile(SIMT_AT(shfl), Size, value,
                            [rank](auto read, unsigned) { return read(rank % Size); });
  }
  SIMT_WORD int any(int predicate, SIMT_HERE) const {
    return exchange_in_tile(SIMT_AT(any), Size, predicate, [](auto read, unsigned) {
      int found = 0;
      for (unsigned i = 0; i < Size; ++i) found |= read(i) != 0 ? 1 : 0;
      return found;
    });
  }
  SIMT_WORD int all(int predicate, SIMT_HERE) const {
    return any(predicate == 0 ? 1 : 0, file_, line_) == 0 ? 1 : 0;
  }

 private:
  unsigned rank_, count_;
};

}  // namespace detail

/// `Size` threads side by side: lanes of a warp, or whole warps.
template <unsigned Size, class Parent = void, bool Large = (Size > 32)>
class thread_block_tile;

template <unsigned Size, class Parent>
class thread_block_tile<Size, Parent, true> : public detail::large_tile<Size> {
  static_assert(Size <= 1024 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, … or 1024 threads, no more than a block");

 public:
  using detail::large_tile<Size>::large_tile;
  template <class Other>  // NOLINTNEXTLINE(google-explicit-constructor): as in CUDA
  thread_block_tile(const thread_block_tile<Size, Other, true>& o)
      : thread_block_tile(o.meta_group_rank(), o.meta_group_size()) {}
};

template <unsigned Size, class Parent>
class thread_block_tile<Size, Parent, false> : public coalesced_group {
  static_assert((Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, … or 1024 threads, no more than a block");

 public:
  thread_block_tile(unsigned rank, unsigned count)
      : coalesced_group(mask_of(simt::detail::lane_index()), rank, count) {}
  template <class Other>  // NOLINTNEXTLINE(google-explicit-constructor): as in CUDA
  thread_block_tile(const thread_block_tile<Size, Other, false>& o)
      : thread_block_tile(o.meta_group_rank(), o.meta_group_size()) {}
  [[nodiscard]] static constexpr unsigned size() { return Size; }
  [[nodiscard]] static constexpr unsigned num_threads() { return Size; }
  [[nodiscard]] static unsigned thread_rank() { return simt::detail::lane_index() % Size; }
  template <class T>
  SIMT_WORD T shfl(T value, unsigned rank, SIMT_HERE) const {
    return __shfl_sync(mask_, value, static_cast<int>(rank), Size, file_, line_);
  }
  template <class T>
  SIMT_WORD T shfl_down(T value, unsigned delta, SIMT_HERE) const {
    return __shfl_down_sync(mask_, value, delta, Size, file_, line_);
  }
  template <class T>
  SIMT_WORD T shfl_up(T value, unsigned delta, SIMT_HERE) const {
    return __shfl_up_sync(mask_, value, delta, Size, file_, line_);
  }
  template <class T>
  SIMT_WORD T shfl_xor(T value, unsigned lanes, SIMT_HERE) const {
    return __shfl_xor_sync(mask_, value, static_cast<int>(lanes), Size, file_, line_);
  }

 private:
  static unsigned mask_of(unsigned lane) {
    const unsigned tile = Size == 32 ? ~0U : ((1U << Size % 32) - 1) << (lane & ~(Size - 1));
    return tile & simt::detail::lanes_of_warp();
  }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  return {parent.thread_rank() / Size, (parent.size() + Size - 1) / Size};
}
namespace detail {
/// Tiles take these lanes in order, `size` each: those of the caller's tile.
inline unsigned lanes_of_tile(unsigned lanes, unsigned size) {
  const unsigned first = static_cast<unsigned>(__popc(lanes & lanes_below())) / size * size;
  unsigned tile = 0, rank = 0;
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1, ++rank) {
    if (rank >= first && rank - first < size) tile |= rest & -rest;
  }
  return tile;
}
}  // namespace detail
inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  const unsigned lanes = parent.mask_ == 0 ? simt::detail::lanes_of_warp() : parent.mask_;
  return thread_group(detail::lanes_of_tile(lanes, size));
}
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  return group_of_lanes(detail::lanes_of_tile(parent.lanes(), size), parent.thread_rank() / size,
                        (parent.size() + size - 1) / size);
}

/// Those of the group that bring the same predicate, or the same label.
SIMT_WORD inline coalesced_group binary_partition(const coalesced_group& g, bool predicate,
                                                  SIMT_HERE) {
  const unsigned with = __ballot_sync(g.lanes(), static_cast<int>(predicate), file_, line_);
  const unsigned without = g.lanes() & simt::detail::lanes_of_warp() & ~with;
  if (with == 0 || without == 0) return group_of_lanes(g.lanes());
  return group_of_lanes(predicate ? with : without, predicate ? 1 : 0, 2);
}
template <class T>
SIMT_WORD inline coalesced_group labeled_partition(const coalesced_group& g, T label, SIMT_HERE) {
  if constexpr (std::is_same_v<T, bool>) {
    return binary_partition(g, label, file_, line_);
  } else {
    const unsigned mine = __match_any_sync(g.lanes(), label, file_, line_);
    const int first = __ffs(static_cast<int>(mine)) - 1;
    const bool leads = simt::detail::lane_index() == static_cast<unsigned>(first);
    const unsigned leaders = __ballot_sync(g.lanes(), static_cast<int>(leads), file_, line_);
    return group_of_lanes(mine, static_cast<unsigned>(__popc(leaders & ((1U << first) - 1))),
                          static_cast<unsigned>(__popc(leaders)));
  }
}

/// All blocks of a cooperative launch.
class grid_group {
 public:
  SIMT_WORD void sync(SIMT_HERE) const { simt::detail::grid_barrier(SIMT_AT(grid_sync)); }
  using arrival_token = detail::arrival_token;
  [[nodiscard]] static arrival_token barrier_arrive() { return {}; }
  SIMT_WORD void barrier_wait(arrival_token&&, SIMT_HERE) const { sync(file_, line_); }
  [[nodiscard]] static bool is_valid() { return simt::detail::is_cooperative(); }
  [[nodiscard]] static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  [[nodiscard]] static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  [[nodiscard]] static unsigned long long size() { return num_blocks() * detail::block_threads(); }
  [[nodiscard]] static unsigned long long num_threads() { return size(); }
  [[nodiscard]] static unsigned long long thread_rank() {
    return block_rank() * detail::block_threads() + detail::rank_in_block();
  }
  [[nodiscard]] static dim3 group_dim() { return gridDim; }
  [[nodiscard]] static dim3 dim_blocks() { return gridDim; }
  [[nodiscard]] static dim3 block_index() { return uint3(blockIdx); }
};
inline grid_group this_grid() { return {}; }
__attribute__((unavailable("not on the CPU machine: a grid is on one device; launch one on each")))
grid_group
this_multi_grid();

/// `f(arguments…)` by the first thread of the group.
template <class Group, class F, class... Arguments>
void invoke_one(const Group& g, F&& f, Arguments&&... arguments) {
  if (g.thread_rank() == 0) static_cast<F&&>(f)(static_cast<Arguments&&>(arguments)...);
}
/// The same, and all of a tile or of coalesced threads get what it returns.
template <class Group, class F, class... Arguments>
auto invoke_one_broadcast(const Group& g, F&& f, Arguments&&... arguments) {
  decltype(static_cast<F&&>(f)(static_cast<Arguments&&>(arguments)...)) result{};
  if (g.thread_rank() == 0) result = static_cast<F&&>(f)(static_cast<Arguments&&>(arguments)...);
  return g.shfl(result, 0);
}

/// The blocks of a cluster.
class cluster_group {
 public:
  SIMT_WORD static void sync(SIMT_HERE) { simt::detail::cluster_barrier(SIMT_AT(cluster_sync)); }
  using arrival_token = detail::arrival_token;
  [[nodiscard]] static arrival_token barrier_arrive() { return {}; }
  SIMT_WORD static void barrier_wait(arrival_token&& = {}, SIMT_HERE) { sync(file_, line_); }
  [[nodiscard]] static dim3 block_index() {
    using simt::detail::block_in_cluster;
    return {block_in_cluster(0), block_in_cluster(1), block_in_cluster(2)};
  }
  [[nodiscard]] static dim3 dim_blocks() {
    using simt::detail::cluster_extent;
    return {cluster_extent(0), cluster_extent(1), cluster_extent(2)};
  }
  [[nodiscard]] static unsigned num_blocks() { return simt::detail::cluster_size(); }
  [[nodiscard]] static unsigned block_rank() { return simt::detail::cluster_rank(); }
  [[nodiscard]] static unsigned num_threads() { return num_blocks() * detail::block_threads(); }
  [[nodiscard]] static unsigned size() { return num_threads(); }
  [[nodiscard]] static unsigned thread_rank() {
    return block_rank() * detail::block_threads() + detail::rank_in_block();
  }
  template <class T>
  [[nodiscard]] static T* map_shared_rank(T* shared, unsigned rank) {
    return static_cast<T*>(simt::detail::in_block(shared, rank));
  }
};
inline cluster_group this_cluster() { return {}; }

template <class Group>
SIMT_WORD inline void sync(const Group& g, SIMT_HERE) {
  g.sync(file_, line_);
}

}  // namespace cooperative_groups

#undef SIMT_WORD
#undef SIMT_AT
#undef SIMT_HERE
