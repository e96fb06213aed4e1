// The kernels with which the CPU machine is measured beside compiled loops, and their launches.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold::bench {

inline constexpr unsigned product_tile = 16, sum_block = 256;

void launch_nothing();
void launch_vector_add(const float* x, const float* y, float* z, std::size_t n);
void launch_saxpy(float a, const float* x, float* y, std::size_t n);
/// The mean of each cell and its four neighbours, of side × side cells; the rim stays.
void launch_stencil(const float* in, float* out, std::size_t side);
/// c = a b, of side × side values, by tiles in shared memory.
void launch_product(const float* a, const float* b, float* c, std::size_t side);
/// One sum of each block's 256 values, by a tree in shared memory.
void launch_block_sums(const std::uint32_t* in, std::uint32_t* sums, std::size_t n);
/// One sum of each warp's 32 values, by shuffles. `n`: a multiple of the block.
void launch_warp_sums(const std::uint32_t* in, std::uint32_t* sums, std::size_t n);

}  // namespace warpfold::bench
