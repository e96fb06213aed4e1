// How blocks of one launch tell each other values: in cells that one store fills, 4 bytes of the
// value with the launch's tag in 8, or 12 in 16, so a cell is there or it is not. No fence, no flag
// beside the value, and nothing to clear: the next launch has another tag.
// A told value of up to 12 bytes costs one relaxed store, a wait one load.
// Blocks take tickets as they start, and may wait only for blocks with earlier tickets (those run).
// The memory is zero before its first use and serves one launch at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

struct ticket {
  unsigned number;    // of those taken in this launch
  std::uint32_t tag;  // of this launch, never 0
};

/// What a block that took a ticket is to this launch.
struct block_role {
  std::uint32_t tag;
  bool is_last;  // the one that started last
};

/// A value of T in cells. The tag is the lower half of a cell's last 8 bytes.
template <class T>
struct in_cells {
  static constexpr unsigned payload = words_of<T> == 1 ? 1 : 3;  // words of 4 bytes a cell
  static constexpr unsigned count = (words_of<T> + payload - 1) / payload;
  using cell = std::conditional_t<payload == 1, std::uint64_t, wide_word>;

  static __device__ __forceinline__ cell pack(const in_words<T>& parts, unsigned k,
                                              std::uint32_t tag) {
    const auto word = [&](unsigned i) -> std::uint64_t {
      return payload * k + i < words_of<T> ? parts.word[payload * k + i] : 0;
    };
    if constexpr (payload == 1) {
      return word(0) << 32 | tag;
    } else {
      return {word(1) << 32 | word(0), word(2) << 32 | tag};
    }
  }
  static __device__ __forceinline__ void unpack(in_words<T>& parts, unsigned k, const cell& from) {
    const auto set = [&](unsigned i, std::uint64_t word) {
      if (payload * k + i < words_of<T>) {
        parts.word[payload * k + i] = static_cast<std::uint32_t>(word);
      }
    };
    if constexpr (payload == 1) {
      set(0, from >> 32);
    } else {
      set(0, from.low), set(1, from.low >> 32), set(2, from.high >> 32);
    }
  }
  static __device__ __forceinline__ std::uint32_t tag_of(const cell& from) {
    if constexpr (payload == 1) {
      return static_cast<std::uint32_t>(from);
    } else {
      return static_cast<std::uint32_t>(from.high);
    }
  }
};

struct mailbox {
  static constexpr std::size_t header_bytes = 128;

  /// Launches << 32 | tickets taken; blocks that take no more; that left; a sum << 32 | its terms.
  std::uint64_t* header;
  std::uint64_t* words;
  std::size_t word_count;

  /// Memory for told values of T.
  template <class T>
  static constexpr std::size_t bytes(std::size_t slots) {
    return header_bytes + slots * in_cells<T>::count * sizeof(typename in_cells<T>::cell);
  }
  /// `memory` starts at a 16-byte boundary.
  static mailbox in(void* memory, std::size_t bytes) {
    auto* const header = static_cast<std::uint64_t*>(memory);
    return {header, header + header_bytes / 8, (bytes - header_bytes) / 8};
  }

  /// The first of `count` tickets in a row.
  __device__ __forceinline__ ticket take(unsigned count = 1) const {
    const std::uint64_t old = add(0, count);
    return {static_cast<unsigned>(old), static_cast<std::uint32_t>(old >> 32) + 1};
  }

  /// Where blocks take several tickets: one thread of each block says that it takes no more. True
  /// for the last to say so.
  __device__ __forceinline__ bool stop_taking() const { return add(1, 1) == gridDim.x - 1; }

  template <class T>
  __device__ __forceinline__ void tell(std::size_t slot, const T& value, std::uint32_t tag) const {
    const in_words<T> parts(value);
#pragma unroll
    for (unsigned k = 0; k < in_cells<T>::count; ++k) {
      store_relaxed(at<T>(slot) + k, in_cells<T>::pack(parts, k, tag));
    }
  }

  /// Waits for the values in slots slot_of(k), for those k with want(k); all loads are in flight at
  /// once. The other values are left as they are.
  template <class T, unsigned Count, class SlotOf, class Want>
  __device__ __forceinline__ void wait(T (&value)[Count], std::uint32_t tag, SlotOf slot_of,
                                       Want want) const {
    using cells = in_cells<T>;
    typename cells::cell got[Count][cells::count];
#pragma unroll
    for (unsigned c = 0; c < Count; ++c) {
      const in_words<T> parts(value[c]);
#pragma unroll
      for (unsigned k = 0; k < cells::count; ++k) got[c][k] = cells::pack(parts, k, tag);
    }
    bool all = false;
    while (!all) {  // all are loaded again, not what is missing: a short call waits for branches
#pragma unroll
      for (unsigned c = 0; c < Count; ++c) {
#pragma unroll
        for (unsigned k = 0; k < cells::count; ++k) {
          if (want(c)) got[c][k] = load_relaxed(at<T>(slot_of(c)) + k);
        }
      }
      all = true;
#pragma unroll
      for (unsigned c = 0; c < Count; ++c) {
#pragma unroll
        for (unsigned k = 0; k < cells::count; ++k) all &= cells::tag_of(got[c][k]) == tag;
      }
      if (!all) let_others_run();
    }
#pragma unroll
    for (unsigned c = 0; c < Count; ++c) {
      in_words<T> parts;
#pragma unroll
      for (unsigned k = 0; k < cells::count; ++k) cells::unpack(parts, k, got[c][k]);
      value[c] = parts.value();
    }
  }

  template <class T>
  __device__ __forceinline__ T wait(std::size_t slot, std::uint32_t tag) const {
    T value[1] = {};
    wait(
        value, tag, [=](unsigned) { return slot; }, [](unsigned) { return true; });
    return value[0];
  }

  /// Adds `value` to those of the other blocks, as integers wrap, in one atomic: one thread of each
  /// block calls, none of them with a ticket. True for the last of them, which gets the sum.
  template <class T>
  __device__ __forceinline__ bool add_up(T& value) const {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 4);
    const auto mine = static_cast<std::uint32_t>(value);
    const std::uint64_t old = add(3, std::uint64_t{mine} << 32 | 1);
    if (static_cast<std::uint32_t>(old) != gridDim.x - 1) return false;
    store_relaxed(header + 3, 0);
    value = static_cast<T>(static_cast<std::uint32_t>(old >> 32) + mine);
    return true;
  }

  /// Ends the launch's use of the mailbox: all threads of every block call it when the block needs
  /// the mailbox no more. `last` in the one block that took the last ticket.
  __device__ __forceinline__ void leave(std::uint32_t tag, bool last) const {
    if (tag == last_tag) {
      __syncthreads();
      if (!last && threadIdx.x == 0) add(2, 1);
      if (last && threadIdx.x == 0) {
        while (load_relaxed(header + 2) != gridDim.x - 1) __nanosleep(0);
        store_relaxed(header + 2, 0);
      }
      __syncthreads();
    }
    if (last) close(tag, blockDim.x);
  }

  /// The same in the last block alone, by its first `threads` threads, where these have got what
  /// every other block had to tell, and no other block waits for anything.
  __device__ __forceinline__ void close(std::uint32_t tag, unsigned threads) const {
    if (threadIdx.x == 0) {
      store_relaxed(header + 1, 0);
      store_relaxed(header, tag == last_tag ? 0 : std::uint64_t{tag} << 32);
    }
    if (tag == last_tag) {  // the tags start again, so no old word may be left
#pragma unroll 1
      for (std::size_t i = threadIdx.x; i < word_count; i += threads) store_relaxed(words + i, 0);
    }
  }

 private:
  static constexpr std::uint32_t last_tag = ~std::uint32_t{0};

  template <class T>
  __device__ __forceinline__ typename in_cells<T>::cell* at(std::size_t slot) const {
    return reinterpret_cast<typename in_cells<T>::cell*>(words) + slot * in_cells<T>::count;
  }

  __device__ __forceinline__ std::uint64_t add(unsigned counter, std::uint64_t what) const {
    using word = unsigned long long;
    return atomicAdd(reinterpret_cast<word*>(header + counter), word{what});
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
