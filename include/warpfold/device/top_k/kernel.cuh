// The first k of each row's keys, in order, ties by index.
//
//   alone    one launch, a block a row:   sample, filter, nth, sort
//   shared   three, many blocks a row:    sample | filter | nth, sort
//   sorted   k > 2048:                    an argsort of each row, then its first k
//
// Reads each key once, and one in 64 or fewer once more. Where a sample had bad luck (fewer than k
// candidates, or more than there is room for), one block finds the k-th of all the row's keys by
// reading them again for each of its digits. All is decided on the device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/sort/temp_storage.cuh"
#include "warpfold/device/top_k/block.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Rows of n keys each.
template <class Ranked, class Out>
struct top_k_problem {
  const typename Ranked::key* keys;
  std::size_t rows, n;
  unsigned k;
  Out out;
};

/// A row's memory between the three launches.
template <class Ranked>
struct shared_rows {
  typename Ranked::number* bounds;
  unsigned long long* counts;
  typename Ranked::number* lists;
  std::size_t room;  // of each list

  constexpr shared_rows(std::size_t rows, std::size_t n, std::size_t k, memory_layout& layout)
      : bounds(layout.take<typename Ranked::number>(rows)),
        counts(layout.take<unsigned long long>(rows)),
        lists(nullptr),
        room(tuning::top_k_sample(n, k).room(n)) {
    lists = layout.take<typename Ranked::number>(rows * room);
  }
};

/// The list of a block that reads a row alone.
template <class Ranked>
struct own_list {
  typename Ranked::number* to;
  typename Ranked::count* count;
  unsigned room;

  __device__ __forceinline__ typename Ranked::count reserve(unsigned own) const {
    const unsigned through = warp_inclusive_scan(own, plus{});
    typename Ranked::count base = 0;
    if (threadIdx.x % warp_size == warp_size - 1) {
      base = atomicAdd(count, typename Ranked::count{through});
    }
    return shuffle(base, warp_size - 1) + (through - own);
  }
  __device__ __forceinline__ void put(typename Ranked::count place, unsigned i,
                                      typename Ranked::number x) const {
    if (place + i < room) to[place + i] = x;
  }
};

/// The list that a row's blocks share. A block gathers what it finds first, so that few atomics go
/// to the row's counter; what finds no place there goes to the list at once.
template <class Ranked>
struct common_list {
  using number = typename Ranked::number;
  static constexpr unsigned most = tuning::top_k::staged;
  number* staged;
  unsigned* staged_count;
  number* to;
  unsigned long long* count;
  std::size_t room;

  struct places {
    unsigned first;              // among what the block gathers
    unsigned long long instead;  // in the list, of what would be the block's number `most`
  };
  __device__ __forceinline__ places reserve(unsigned own) const {
    const unsigned through = warp_inclusive_scan(own, plus{});
    const unsigned all = shuffle(through, warp_size - 1);
    const bool is_last = threadIdx.x % warp_size == warp_size - 1;
    unsigned base = 0;
    if (is_last) base = atomicAdd(staged_count, all);
    base = shuffle(base, warp_size - 1);
    const unsigned begin = base < most ? most : base;
    unsigned long long instead = 0;
    if (base + all > begin) {
      if (is_last) instead = atomicAdd(count, static_cast<unsigned long long>(base + all - begin));
      instead = shuffle(instead, warp_size - 1) - (begin - most);
    }
    return {base + through - own, instead};
  }
  __device__ __forceinline__ void put(const places& at, unsigned i, number x) const {
    const unsigned place = at.first + i;
    if (place < most) {
      staged[place] = x;
    } else if (at.instead + (place - most) < room) {
      to[at.instead + (place - most)] = x;
    }
  }
  /// Moves what the block has gathered to the list.
  __device__ __forceinline__ void flush(unsigned long long& base) const {
    __syncthreads();
    const unsigned own = ::min(*staged_count, most);
    if (threadIdx.x == 0 && own > 0) base = atomicAdd(count, static_cast<unsigned long long>(own));
    __syncthreads();
    for (unsigned i = threadIdx.x; i < own; i += blockDim.x) {
      if (base + i < room) to[base + i] = staged[i];
    }
  }
};

// Blocks have in their dynamic shared memory: room for candidates | the first k, up to the next
// power of two.

template <class Ranked, bool ByIndex, class Out>
__global__ void __launch_bounds__(tuning::top_k::threads)
    top_k_alone_kernel(top_k_problem<Ranked, Out> problem, tuning::top_k_sample sample,
                       unsigned room) {
  using number = typename Ranked::number;
  constexpr unsigned threads = tuning::top_k::threads;
  auto& shared = shared_storage<top_k_shared<Ranked>>();
  number* const list = dynamic_shared<number>();
  number* const best = list + room;
  wait_for_primary();
  trigger_dependents();
  const std::size_t row = blockIdx.x;
  const auto* const keys = problem.keys + row * problem.n;
  candidates<Ranked> found{list, keys, problem.n};
  if (problem.n <= room) {
    for (std::size_t i = threadIdx.x; i < problem.n; i += threads) {
      list[i] = Ranked::number_of(Ranked::encode(keys[i]), i);
    }
    __syncthreads();
  } else {
    const number bound = sampled_bound<threads, Ranked>(keys, problem.n, sample, list);
    if (threadIdx.x == 0) shared.listed = 0;
    __syncthreads();
    filter_row<threads, Ranked>(keys, problem.n, bound, 0, 1,
                                own_list<Ranked>{list, &shared.listed, room});
    __syncthreads();
    found.count = shared.listed;
    if (found.count < problem.k || found.count > room) found = {nullptr, keys, problem.n};
  }
  finish_row<threads, ByIndex>(found, found.list != nullptr, best, list, problem.k, row, problem.n,
                               problem.out, shared);
}

/// The bound of each row, a block each; its list is empty.
template <class Ranked, class Out>
__global__ void __launch_bounds__(tuning::top_k::finish_threads)
    top_k_sample_kernel(top_k_problem<Ranked, Out> problem, tuning::top_k_sample sample,
                        shared_rows<Ranked> memory) {
  constexpr unsigned threads = tuning::top_k::finish_threads;
  struct storage {
    typename Ranked::number list[threads];
  };
  auto& shared = shared_storage<storage>();
  wait_for_primary();
  trigger_dependents();
  const std::size_t row = blockIdx.x;
  const auto bound = sampled_bound<threads, Ranked>(problem.keys + row * problem.n, problem.n,
                                                    sample, shared.list);
  if (threadIdx.x != 0) return;
  memory.bounds[row] = bound;
  memory.counts[row] = 0;
}

/// `parts` blocks a row.
template <class Ranked, class Out>
__global__ void __launch_bounds__(tuning::top_k::threads, tuning::top_k::blocks_per_multiprocessor)
    top_k_filter_kernel(top_k_problem<Ranked, Out> problem, shared_rows<Ranked> memory,
                        unsigned parts) {
  struct storage {
    typename Ranked::number staged[tuning::top_k::staged];
    unsigned count;
    unsigned long long base;
  };
  auto& shared = shared_storage<storage>();
  if (threadIdx.x == 0) shared.count = 0;
  __syncthreads();
  wait_for_primary();
  trigger_dependents();
  const std::size_t row = blockIdx.x / parts;
  const common_list<Ranked> list{shared.staged, &shared.count, memory.lists + row * memory.room,
                                 memory.counts + row, memory.room};
  filter_row<tuning::top_k::threads, Ranked>(problem.keys + row * problem.n, problem.n,
                                             memory.bounds[row], blockIdx.x % parts, parts, list);
  list.flush(shared.base);
}

/// A block a row.
template <class Ranked, bool ByIndex, class Out>
__global__ void __launch_bounds__(tuning::top_k::finish_threads)
    top_k_finish_kernel(top_k_problem<Ranked, Out> problem, shared_rows<Ranked> memory,
                        unsigned room) {
  using number = typename Ranked::number;
  constexpr unsigned threads = tuning::top_k::finish_threads;
  auto& shared = shared_storage<top_k_shared<Ranked>>();
  number* const own = dynamic_shared<number>();
  number* const best = own + room;
  wait_for_primary();
  trigger_dependents();
  const std::size_t row = blockIdx.x;
  const std::size_t count = memory.counts[row];
  candidates<Ranked> found{memory.lists + row * memory.room, problem.keys + row * problem.n, count};
  const bool is_own = count >= problem.k && count <= room;
  if (count < problem.k || count > memory.room) {
    found = {nullptr, found.keys, problem.n};
  } else if (is_own) {
    const candidates<Ranked> listed = found;
    for (std::size_t i = threadIdx.x; i < count; i += threads) own[i] = listed(i);
    __syncthreads();
    found.list = own;
  }
  finish_row<threads, ByIndex>(found, is_own, best, own, problem.k, row, problem.n, problem.out,
                               shared);
}

/// The first k of rows that have been sorted.
template <class K, class Index, class Out>
__global__ void __launch_bounds__(256)
    top_k_gather_kernel(const K* keys, const Index* indices, std::size_t row, std::size_t n,
                        std::size_t k, Out out) {
  wait_for_primary();
  trigger_dependents();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < k;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const std::size_t at = indices[i];
    out.put(row * k + i, row * n + at, keys[row * n + at], at);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
