// What the blocks of one launch publish to each other: partials of a reduction, the tile status of
// a scan's decoupled look-back, digits of an exact sum.
//
//   status word   | 4 bytes of a value | epoch |   8 bytes, whatever the value's type
//
// One store fills a word, and every launch has an epoch of its own: a word with this epoch holds
// what this launch published, whichever calls used the memory before. No fence, no flag beside the
// value, nothing to clear between launches. Values of more than 4 bytes take an even number of
// words, stored and loaded in pairs; each word is valid by its own epoch.
// A block acquires a dynamic id as it starts, and may wait only for smaller ids: those blocks run.
// The memory is zero before its first use and serves one launch at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A block's id in the order in which blocks start, or a tile's in the order in which they are
/// taken.
struct dynamic_id {
  unsigned number;
  std::uint32_t epoch;  // of this launch, never 0
};

/// What a block that acquired an id is to this launch.
struct block_arrival {
  std::uint32_t epoch;
  bool is_last;  // the one that started last
};

/// A value of T in status words, in units that one instruction moves.
template <class T>
struct status_words {
  static constexpr unsigned words = words_of<T>;  // of 4 bytes, of the value
  static constexpr unsigned per_unit = words == 1 ? 1 : 2;
  static constexpr unsigned units = (words + per_unit - 1) / per_unit;
  using unit = std::conditional_t<per_unit == 1, std::uint64_t, word_pair>;

  static __device__ __forceinline__ std::uint64_t word(const in_words<T>& value, unsigned i,
                                                       std::uint32_t epoch) {
    return std::uint64_t{i < words ? value.word[i] : 0} << 32 | epoch;
  }
  static __device__ __forceinline__ unit pack(const in_words<T>& value, unsigned k,
                                              std::uint32_t epoch) {
    if constexpr (per_unit == 1) {
      return word(value, k, epoch);
    } else {
      return {word(value, 2 * k, epoch), word(value, 2 * k + 1, epoch)};
    }
  }
  static __device__ __forceinline__ void unpack(in_words<T>& value, unsigned k, const unit& from) {
    if constexpr (per_unit == 1) {
      value.word[k] = static_cast<std::uint32_t>(from >> 32);
    } else {
      value.word[2 * k] = static_cast<std::uint32_t>(from.first >> 32);
      if (2 * k + 1 < words) {
        value.word[2 * k + 1] = static_cast<std::uint32_t>(from.second >> 32);
      }
    }
  }
  static __device__ __forceinline__ bool is_of(const unit& from, std::uint32_t epoch) {
    if constexpr (per_unit == 1) {
      return static_cast<std::uint32_t>(from) == epoch;
    } else {
      return static_cast<std::uint32_t>(from.first) == epoch &&
             static_cast<std::uint32_t>(from.second) == epoch;
    }
  }
};

/// The number of blocks of the grid, where all of them are at work.
struct all_blocks {
  __device__ __forceinline__ operator unsigned() const {  // NOLINT(google-explicit-constructor)
    return gridDim.x;
  }
};

struct tile_status {
  static constexpr std::size_t header_bytes = 128;

  /// The words of the header. Each is of one kind for good, and none is ever a status word.
  enum counter : unsigned {
    ids = 0,         // epochs that have ended << 32 | ids acquired in this one
    done = 1,        // blocks that acquire no more ids
    left = 2,        // blocks that have left, in the last epoch of all
    sum = 3,         // a sum of 4 bytes << 32 | blocks that added to it
    words_used = 4,  // status words that any launch was given, at most
    in_use = 5,      // the launch that uses the memory, where that is looked for
  };

  std::uint64_t* header;
  std::uint64_t* words;
  std::size_t word_count;
  std::uint64_t launch = 0;  // a name of its own, where sharing is looked for

  /// Memory for `slots` published values of T.
  template <class T>
  static constexpr std::size_t bytes(std::size_t slots) {
    return header_bytes + slots * status_words<T>::units * sizeof(typename status_words<T>::unit);
  }
  /// For one launch. `memory` starts at a 16-byte boundary; null where blocks publish nothing.
  static tile_status in(void* memory, std::size_t bytes) {
    if (memory == nullptr) return {};
    auto* const header = static_cast<std::uint64_t*>(memory);
    tile_status made{header, header + header_bytes / 8, (bytes - header_bytes) / 8};
    if constexpr (finds_shared_workspaces) {
      static std::uint64_t launches = 0;
      made.launch = __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
    }
    return made;
  }

  /// The first of `count` ids in a row.
  __device__ __forceinline__ dynamic_id acquire_id(unsigned count = 1) const {
    enter();
    const std::uint64_t old = add(ids, count);
    return {static_cast<unsigned>(old), static_cast<std::uint32_t>(old >> 32) + 1};
  }

  /// Where blocks acquire several ids: one thread of each block says that it acquires no more. True
  /// for the last of the `blocks` that use the memory.
  template <class Blocks = all_blocks>
  __device__ __forceinline__ bool acquires_no_more(Blocks blocks = {}) const {
    return add(done, 1) == blocks - 1;
  }

  template <class T>
  __device__ __forceinline__ void publish(std::size_t slot, const T& value,
                                          std::uint32_t epoch) const {
    const in_words<T> parts(value);
#pragma unroll
    for (unsigned k = 0; k < status_words<T>::units; ++k) {
      store_relaxed(at<T>(slot) + k, status_words<T>::pack(parts, k, epoch));
    }
  }

  /// Waits for the values in slots slot_of(k), for those k with want(k); all loads are in flight at
  /// once. The other values are left as they are.
  template <class T, unsigned Count, class SlotOf, class Want>
  __device__ __forceinline__ void wait_for(T (&value)[Count], std::uint32_t epoch, SlotOf slot_of,
                                           Want want) const {
    using packed = status_words<T>;
    typename packed::unit got[Count][packed::units];
#pragma unroll
    for (unsigned c = 0; c < Count; ++c) {
      const in_words<T> parts(value[c]);
#pragma unroll
      for (unsigned k = 0; k < packed::units; ++k) got[c][k] = packed::pack(parts, k, epoch);
    }
    bool all = false;
    while (!all) {  // all are loaded again, not what is missing: a short call waits for branches
#pragma unroll
      for (unsigned c = 0; c < Count; ++c) {
#pragma unroll
        for (unsigned k = 0; k < packed::units; ++k) {
          if (want(c)) got[c][k] = load_relaxed(at<T>(slot_of(c)) + k);
        }
      }
      all = true;
#pragma unroll
      for (unsigned c = 0; c < Count; ++c) {
#pragma unroll
        for (unsigned k = 0; k < packed::units; ++k) all &= packed::is_of(got[c][k], epoch);
      }
      if (!all) let_others_run();
    }
#pragma unroll
    for (unsigned c = 0; c < Count; ++c) {
      in_words<T> parts;
#pragma unroll
      for (unsigned k = 0; k < packed::units; ++k) packed::unpack(parts, k, got[c][k]);
      value[c] = parts.value();
    }
  }

  template <class T>
  __device__ __forceinline__ T wait_for(std::size_t slot, std::uint32_t epoch) const {
    T value[1] = {};
    wait_for(
        value, epoch, [=](unsigned) { return slot; }, [](unsigned) { return true; });
    return value[0];
  }

  /// A slot as it is now: published or not.
  template <class T>
  struct peeked {
    typename status_words<T>::unit got[status_words<T>::units];
  };
  template <class T>
  __device__ __forceinline__ peeked<T> peek(std::size_t slot) const {
    peeked<T> seen;
#pragma unroll
    for (unsigned k = 0; k < status_words<T>::units; ++k)
      seen.got[k] = load_relaxed(at<T>(slot) + k);
    return seen;
  }
  /// Whether a slot was published in this epoch when it was peeked at. `value` is what it had, in
  /// any case.
  template <class T>
  static __device__ __forceinline__ bool read(const peeked<T>& seen, T& value,
                                              std::uint32_t epoch) {
    bool there = true;
    in_words<T> parts;
#pragma unroll
    for (unsigned k = 0; k < status_words<T>::units; ++k) {
      there &= status_words<T>::is_of(seen.got[k], epoch);
      status_words<T>::unpack(parts, k, seen.got[k]);
    }
    value = parts.value();
    return there;
  }
  /// The value in a slot that was peeked at: waits only if it had not been published by then.
  template <class T>
  __device__ __forceinline__ T wait_for(const peeked<T>& seen, std::size_t slot,
                                        std::uint32_t epoch) const {
    T value;
    return read(seen, value, epoch) ? value : wait_for<T>(slot, epoch);
  }
  /// What a slot has that an earlier launch published.
  template <class T>
  __device__ __forceinline__ T load(std::size_t slot) const {
    T value;
    read(peek<T>(slot), value, 0);
    return value;
  }
  /// The epoch of the launch that acquires ids next.
  __device__ __forceinline__ std::uint32_t next_epoch() const {
    return static_cast<std::uint32_t>(load_relaxed(header + ids) >> 32) + 1;
  }

  /// Adds `value` to those of the other blocks, as integers wrap, in one atomic: one thread of each
  /// block calls, none of them with an id. True for the last of them, which gets the sum.
  template <class T, class Blocks = all_blocks>
  __device__ __forceinline__ bool add_up(T& value, Blocks blocks = {}) const {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 4);
    enter();
    const auto mine = static_cast<std::uint32_t>(value);
    const std::uint64_t old = add(sum, std::uint64_t{mine} << 32 | 1);
    if (static_cast<std::uint32_t>(old) != blocks - 1) return false;
    store_relaxed(header + sum, 0);
    exit();
    value = static_cast<T>(static_cast<std::uint32_t>(old >> 32) + mine);
    return true;
  }

  /// Ends the launch's use of the memory: all threads of every block call it when the block needs
  /// the memory no more. `last` in the one block that acquired the last id.
  template <class Blocks = all_blocks>
  __device__ __forceinline__ void leave(std::uint32_t epoch, bool last, Blocks blocks = {}) const {
    if (epoch == last_epoch) {
      __syncthreads();
      if (!last && threadIdx.x == 0) add(left, 1);
      if (last && threadIdx.x == 0) {
        while (load_relaxed(header + left) != blocks - 1) __nanosleep(0);
        store_relaxed(header + left, 0);
      }
      __syncthreads();
    }
    if (last) close(epoch, blockDim.x);
  }

  /// The same, by the first `threads` threads of the last block only. They have what every other
  /// block published, and no other block waits for anything.
  __device__ __forceinline__ void close(std::uint32_t epoch, unsigned threads) const {
    if (epoch == last_epoch) clear_words(threads);
    if (threadIdx.x == 0) {
      store_relaxed(header + done, 0);
      store_relaxed(header + ids, epoch == last_epoch ? 0 : std::uint64_t{epoch} << 32);
      atomicMax(atomic_word(words_used), static_cast<unsigned long long>(word_count));
      exit();
    }
  }

 private:
  static constexpr std::uint32_t last_epoch = ~std::uint32_t{0};

  /// Epochs start again, so no old word may be left: nor behind this launch's memory, where an
  /// earlier one was given more.
  __device__ __forceinline__ void clear_words(unsigned threads) const {
    const std::size_t used = load_relaxed(header + words_used);
    const std::size_t end = used < word_count ? word_count : used;
#pragma unroll 1
    for (std::size_t i = threadIdx.x; i < end; i += threads) store_relaxed(words + i, 0);
  }

  template <class T>
  __device__ __forceinline__ typename status_words<T>::unit* at(std::size_t slot) const {
    return reinterpret_cast<typename status_words<T>::unit*>(words) + slot * status_words<T>::units;
  }

  __device__ __forceinline__ unsigned long long* atomic_word(counter which) const {
    return reinterpret_cast<unsigned long long*>(header + which);
  }
  __device__ __forceinline__ std::uint64_t add(counter which, std::uint64_t what) const {
    return atomicAdd(atomic_word(which), static_cast<unsigned long long>(what));
  }

  /// Stops the kernel where another launch uses the memory at the same time.
  __device__ __forceinline__ void enter() const {
    if constexpr (finds_shared_workspaces) {
      const std::uint64_t user = claim(header + in_use, launch);
      if (user != 0 && user != launch) {
        stop_kernel(
            "two launches use one workspace at once: give each stream a workspace of its own; or "
            "its memory was not cleared: set it to 0 with cudaMemset before the first call");
      }
    }
  }
  __device__ __forceinline__ void exit() const {
    if constexpr (finds_shared_workspaces) unclaim(header + in_use);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
