// What stands behind inline PTX, matrix operations and questions about addresses on the CPU
// machine. Compiled once, without the coverage callbacks. User code has no need of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/intrinsics.hpp"

namespace simt::detail {

/// Of the caller, in its block.
[[gnu::const]] unsigned warp_index();
/// The multiprocessor that the block would be on if they were given out in turns.
unsigned processor_index();
/// Ends the calling thread.
[[noreturn]] void exit_thread();
/// What the last add.cc of the calling thread left, where it is read by another `asm`.
bool& carry_flag();

enum class memory_space : std::uint8_t { global, shared, local, constant };
bool is_in_space(memory_space s, const void* address);
/// Addresses in shared memory count from the first block of the cluster on.
std::uint64_t shared_address(const void* p);
void* shared_pointer(std::uint64_t address);
/// The same address in another block of the cluster.
std::uint64_t shared_address_in(std::uint64_t address, unsigned rank);

/// The block's barrier number `id`, of `threads` threads; waits for them all, or only arrives.
[[clang::convergent, clang::noduplicate]] void named_barrier(place at, unsigned id,
                                                             unsigned threads, bool waits);

/// The same of a tile of several warps, by its number in the block.
[[clang::convergent, clang::noduplicate]] void tile_barrier(place at, unsigned tile,
                                                            unsigned threads);

// A barrier in shared memory: a phase is over when so many have arrived as it was made for, and
// all bytes have come that it was told to expect. Everything before the end of a phase is seen by
// those that know of it.
void mbarrier_init(void* word, unsigned arrivals);
void mbarrier_expect(void* word, unsigned bytes);
void mbarrier_complete(void* word, unsigned bytes);
/// Returns a token of the phase.
std::uint64_t mbarrier_arrive(void* word, unsigned count);
/// The same, and later phases expect so many less.
std::uint64_t mbarrier_drop(void* word, unsigned count);
/// This phase expects one more.
void mbarrier_expect_arrival(void* word);
/// Whether the token's phase is over; others run meanwhile if it is not.
bool mbarrier_is_over(const void* word, std::uint64_t token);
/// The same of the phase with this parity, 0 for the first one.
bool mbarrier_parity_is_over(const void* word, unsigned parity);
unsigned mbarrier_pending(std::uint64_t token);

enum class element : std::uint8_t {
  f16,
  bf16,
  tf32,
  f32,
  f64,
  s8,
  u8,
  s32,
  e4m3,
  e5m2,
  s4,
  u4,
  b1
};
constexpr unsigned element_bits(element e) {
  switch (e) {
    case element::b1: return 1;
    case element::s4:
    case element::u4: return 4;
    case element::s8:
    case element::u8:
    case element::e4m3:
    case element::e5m2: return 8;
    case element::f16:
    case element::bf16: return 16;
    case element::f64: return 64;
    default: return 32;
  }
}

/// d = a b + c, of matrices of m by k, k by n and m by n elements that the lanes of a warp hold.
struct matrix_operation {
  unsigned m, n, k;
  element a, b, c, d;
  bool saturates = false;  // integers
  bool differs = false;    // bits: a term is whether they differ, in place of their product
};

/// Which element of a matrix a lane holds where: cores of 8 rows, whose rows 4 lanes hold side by
/// side, each `width` elements; first all cores above each other. Rows of the second factor are its
/// columns.
struct matrix_layout {
  unsigned rows, width;

  struct position {
    unsigned row, column;
  };
  [[nodiscard]] constexpr position position_of(unsigned lane, unsigned index) const {
    const unsigned core = index / width, high = rows / 8;
    return {core % high * 8 + lane / 4, core / high * 4 * width + lane % 4 * width + index % width};
  }
  [[nodiscard]] constexpr unsigned lane_of(position p) const {
    return p.row % 8 * 4 + p.column / width % 4;
  }
  [[nodiscard]] constexpr unsigned index_of(position p) const {
    return (p.column / (4 * width) * (rows / 8) + p.row / 8) * width + p.column % width;
  }
};
/// Of a factor with elements of so many bits: 4 bytes side by side.
constexpr matrix_layout factor_layout(unsigned rows, unsigned bits) {
  return {rows, bits < 32 ? 32 / bits : 1};
}
constexpr matrix_layout sum_layout(unsigned rows) { return {rows, 2}; }

/// Of all lanes of the warp together. Products are exact and summed in double precision, with `c`,
/// then rounded once to `d`.
[[clang::convergent]] void multiply_matrices(place at, const matrix_operation& what, const void* a,
                                             const void* b, const void* c, void* d);

}  // namespace simt::detail
