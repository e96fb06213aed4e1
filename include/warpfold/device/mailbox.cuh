// How blocks of one launch tell each other values: every 8-byte word carries 4 bytes of the value
// and the launch's tag, so a word is there or it is not. No fence, no flag beside the value, and
// nothing to clear: the next launch has another tag.
// A told value costs one relaxed store for each 4 bytes, a wait as many loads.
// Blocks take tickets as they start, and may wait only for blocks with earlier tickets (those run).
// The memory is zero before its first use and serves one launch at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

struct ticket {
  unsigned number;   // of those taken in this launch
  std::uint32_t tag;  // of this launch, never 0
};

struct mailbox {
  static constexpr std::size_t header_bytes = 128;

  std::uint64_t* header;  // launches << 32 | tickets taken; blocks that take no more; that cleared
  std::uint64_t* words;
  std::size_t word_count;

  static constexpr std::size_t bytes(std::size_t words) { return header_bytes + 8 * words; }
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
    for (unsigned k = 0; k < words_of<T>; ++k) {
      store_relaxed(at<T>(slot) + k, std::uint64_t{parts.word[k]} << 32 | tag);
    }
  }

  /// Waits for the values in slots slot_of(k), for those k with want(k); all loads are in flight at
  /// once. The other values are left as they are.
  template <class T, unsigned Count, class SlotOf, class Want>
  __device__ __forceinline__ void wait(T (&value)[Count], std::uint32_t tag, SlotOf slot_of,
                                       Want want) const {
    std::uint64_t word[Count][words_of<T>];
#pragma unroll
    for (unsigned c = 0; c < Count; ++c) {
#pragma unroll
      for (unsigned k = 0; k < words_of<T>; ++k) {
        word[c][k] = want(c) ? load_relaxed(at<T>(slot_of(c)) + k) : tag;
      }
    }
#pragma unroll
    for (unsigned c = 0; c < Count; ++c) {
      in_words<T> parts;
#pragma unroll
      for (unsigned k = 0; k < words_of<T>; ++k) {
        while (static_cast<std::uint32_t>(word[c][k]) != tag) {
          __nanosleep(0);
          word[c][k] = load_relaxed(at<T>(slot_of(c)) + k);
        }
        parts.word[k] = static_cast<std::uint32_t>(word[c][k] >> 32);
      }
      if (want(c)) value[c] = parts.value();
    }
  }

  template <class T>
  __device__ __forceinline__ T wait(std::size_t slot, std::uint32_t tag) const {
    T value[1];
    wait(value, tag, [=](unsigned) { return slot; }, [](unsigned) { return true; });
    return value[0];
  }

  /// Ends the launch's use of the mailbox: all threads of every block call it when the block needs
  /// the mailbox no more. `last` in the one block that took the last ticket.
  __device__ __forceinline__ void leave(std::uint32_t tag, bool last) const {
    if (tag == ~std::uint32_t{0}) {
      clear(last);
    } else if (last && threadIdx.x == 0) {
      store_relaxed(header + 1, 0);
      store_relaxed(header, std::uint64_t{tag} << 32);
    }
  }

 private:
  template <class T>
  __device__ __forceinline__ std::uint64_t* at(std::size_t slot) const {
    return words + slot * words_of<T>;
  }

  __device__ __forceinline__ std::uint64_t add(unsigned counter, unsigned count) const {
    using word = unsigned long long;
    return atomicAdd(reinterpret_cast<word*>(header + counter), word{count});
  }

  /// Once in 2^32 launches the tags start again, so no old word may be left.
  __device__ void clear(bool last) const {
    __syncthreads();
    if (!last) {
      if (threadIdx.x == 0) add(2, 1);
      return;
    }
    if (threadIdx.x == 0) {
      while (load_relaxed(header + 2) != gridDim.x - 1) __nanosleep(0);
      for (unsigned k = 0; k < 3; ++k) store_relaxed(header + k, 0);
    }
    __syncthreads();
    for (std::size_t i = threadIdx.x; i < word_count; i += blockDim.x) store_relaxed(words + i, 0);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
