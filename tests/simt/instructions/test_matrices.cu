// wmma, and mma.sync with ldmatrix, against products on the host.
#include <cstdint>
#include <type_traits>
#include <vector>

#include <cuda_fp16.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mma.h>

#include "simt/report.hpp"

namespace {

using namespace nvcuda;

template <class T>
T* managed(std::size_t n) {
  T* p = nullptr;
  cudaMallocManaged(&p, n * sizeof(T));
  return p;
}

/// Small whole numbers: every format holds them and their sums of products.
int number(unsigned i) { return static_cast<int>(i * 7919 % 13) - 4; }

template <class T>
T number_as(unsigned i) {
  const int v = number(i);
  if constexpr (std::is_same_v<T, unsigned char>)
    return static_cast<T>(v + 4);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(v);
  else
    return T(static_cast<float>(v));
}

template <int M, int N, int K, class T, class A, class B, class Sum>
__global__ void multiply(
    const typename wmma::fragment<wmma::matrix_a, M, N, K, T, A>::storage_element_type* a,
    const typename wmma::fragment<wmma::matrix_b, M, N, K, T, B>::storage_element_type* b,
    const Sum* c, Sum* d, bool rows) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, A> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, B> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, old;
  const auto layout = rows ? wmma::mem_row_major : wmma::mem_col_major;
  wmma::fill_fragment(sum, Sum(0.0f));
  wmma::load_matrix_sync(fa, a, std::is_same_v<A, wmma::row_major> ? K : M);
  wmma::load_matrix_sync(fb, b, std::is_same_v<B, wmma::row_major> ? N : K);
  wmma::load_matrix_sync(old, c, rows ? N : M, layout);
  wmma::mma_sync(sum, fa, fb, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + old.x[i];
  wmma::store_matrix_sync(d, sum, rows ? N : M, layout);
}

template <int M, int N, int K, class T, class A, class B, class Sum>
void check_product(bool rows) {
  using stored = typename wmma::fragment<wmma::matrix_a, M, N, K, T, A>::storage_element_type;
  auto* a = managed<stored>(M * K);
  auto* b = managed<stored>(K * N);
  auto* c = managed<Sum>(M * N);
  auto* d = managed<Sum>(M * N);
  for (unsigned i = 0; i < M * K; ++i) a[i] = number_as<stored>(i);
  for (unsigned i = 0; i < K * N; ++i) b[i] = number_as<stored>(i + 5);
  for (unsigned i = 0; i < M * N; ++i) c[i] = number_as<Sum>(i + 9);
  const simt::report r = simt::inspect([&] {
    multiply<M, N, K, T, A, B, Sum><<<1, 32>>>(a, b, c, d, rows);
    cudaDeviceSynchronize();
  });
  EXPECT_THAT(r.findings(), testing::IsEmpty()) << r.text();
  for (unsigned i = 0; i < M; ++i) {
    for (unsigned j = 0; j < N; ++j) {
      const unsigned at = rows ? i * N + j : j * M + i;
      double sum = static_cast<float>(c[at]);
      for (unsigned k = 0; k < K; ++k) {
        const float x =
            static_cast<float>(a[std::is_same_v<A, wmma::row_major> ? i * K + k : k * M + i]);
        const float y =
            static_cast<float>(b[std::is_same_v<B, wmma::row_major> ? k * N + j : j * K + k]);
        sum += x * y;
      }
      ASSERT_EQ(static_cast<double>(static_cast<float>(d[at])), sum) << i << ", " << j;
    }
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  cudaFree(d);
}

using wmma::col_major;
using wmma::row_major;

TEST(wmma, every_shape_type_and_layout) {
  check_product<16, 16, 16, __half, row_major, row_major, float>(true);
  check_product<16, 16, 16, __half, row_major, col_major, __half>(false);
  check_product<32, 8, 16, __half, col_major, row_major, float>(true);
  check_product<8, 32, 16, __half, col_major, col_major, __half>(true);
  check_product<16, 16, 16, __nv_bfloat16, row_major, col_major, float>(false);
  check_product<16, 16, 8, wmma::precision::tf32, row_major, col_major, float>(true);
  check_product<16, 16, 16, signed char, row_major, col_major, int>(true);
  check_product<32, 8, 16, unsigned char, col_major, row_major, int>(false);
  check_product<8, 8, 4, double, row_major, col_major, double>(true);
  check_product<8, 8, 4, double, col_major, row_major, double>(false);
}

TEST(wmma, rows_of_a_fragment_are_read_in_whole_words) {
  auto* a = managed<__half>(256);
  auto* c = managed<float>(256);
  for (unsigned i = 0; i < 256; ++i) {
    a[i] = number_as<__half>(i);
    c[i] = 0;
  }
  const simt::report r = simt::inspect([&] {
    multiply<16, 16, 16, __half, row_major, col_major, float><<<1, 32>>>(a, a, c, c, true);
  });
  EXPECT_EQ(r.total().global_load.requests, 4 + 4 + 4U);
  EXPECT_EQ(r.total().global_load.sectors, 4 * 8 + 4 * 8 + 4 * 8U);
  cudaFree(a);
  cudaFree(c);
}

/// One product of 16 by 16 and 16 by 8 halves, as kernels of libraries write it.
__global__ void instructions(const __half* a, const __half* b, float* d) {
  __shared__ alignas(16) __half tile_a[16 * 16], tile_b[16 * 8];
  for (unsigned i = threadIdx.x; i < 256; i += 32) tile_a[i] = a[i];
  for (unsigned i = threadIdx.x; i < 128; i += 32) tile_b[i] = b[i];
  __syncthreads();
  const unsigned lane = threadIdx.x;
  unsigned ra[4], rb[2];
  auto at =
      static_cast<unsigned>(__cvta_generic_to_shared(tile_a + lane % 16 * 16 + lane / 16 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(at));
  at = static_cast<unsigned>(__cvta_generic_to_shared(tile_b + lane % 16 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(at));
  float c[4] = {0.5f, 0.5f, 0.5f, 0.5f};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,  %1,  %2,  %3}, {%4,  %5,  %6,  %7}, {%8,  %9}, {%0, %1, %2, %3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  const unsigned row = lane / 4, column = lane % 4 * 2;
  d[row * 8 + column] = c[0];
  d[row * 8 + column + 1] = c[1];
  d[(row + 8) * 8 + column] = c[2];
  d[(row + 8) * 8 + column + 1] = c[3];
}

TEST(mma, halves_by_ldmatrix) {
  auto* a = managed<__half>(256);
  auto* b = managed<__half>(128);
  auto* d = managed<float>(128);
  for (unsigned i = 0; i < 256; ++i) a[i] = number_as<__half>(i);
  for (unsigned i = 0; i < 128; ++i) b[i] = number_as<__half>(i * 3);
  const simt::report r = simt::inspect([&] { instructions<<<1, 32>>>(a, b, d); });
  EXPECT_THAT(r.findings(), testing::IsEmpty()) << r.text();
  EXPECT_THAT(r.errors(), testing::IsEmpty());
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 8; ++j) {
      float sum = 0.5F;
      for (unsigned k = 0; k < 16; ++k) sum += a[i * 16 + k].value() * b[k * 8 + j].value();
      ASSERT_EQ(d[i * 8 + j], sum) << i << ", " << j;
    }
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(d);
}

__global__ void others(int* whole, double* wide, float* single) {
  const unsigned lane = threadIdx.x, row = lane / 4, column = lane % 4;
  // a(i, k) = i - k, b(k, j) = k + j
  unsigned a = 0, b = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned k = column * 4 + n;
    a |= ((row - k) & 255) << 8 * n;
    b |= ((k + row) & 255) << 8 * n;
  }
  int c[4];
  asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %4};"
      : "=r"(c[0]), "=r"(c[1])
      : "r"(a), "r"(b), "r"(100));
  whole[row * 8 + column * 2] = c[0];
  whole[row * 8 + column * 2 + 1] = c[1];
  double d[2];
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
      : "=d"(d[0]), "=d"(d[1])
      : "d"((double)row - column), "d"((double)column + row), "d"(0.25));
  wide[row * 8 + column * 2] = d[0];
  wide[row * 8 + column * 2 + 1] = d[1];
  float f[4];
  asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, "
      "%7, %7, %7};"
      : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])
      : "r"(__float_as_uint((float)row - column) | 0x1fff),
        "r"(__float_as_uint(row + 8.0f - column)), "r"(__float_as_uint((float)column + row)),
        "f"(0.0f));
  for (unsigned n = 0; n < 4; ++n) single[(row + n / 2 * 8) * 8 + column * 2 + n % 2] = f[n];
}

TEST(mma, other_types) {
  auto* whole = managed<int>(64);
  auto* wide = managed<double>(64);
  auto* single = managed<float>(128);
  others<<<1, 32>>>(whole, wide, single);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto sum = [](int i, int j, int depth) {
    int total = 0;
    for (int k = 0; k < depth; ++k) total += (i - k) * (k + j);
    return total;
  };
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i < 8) {
        ASSERT_EQ(whole[i * 8 + j], sum(i, j, 16) + 100);
        ASSERT_EQ(wide[i * 8 + j], sum(i, j, 4) + 0.25);
      }
      ASSERT_NEAR(single[i * 8 + j], sum(i, j, 4), 1e-4) << i << ", " << j;
    }
  }
  cudaFree(whole);
  cudaFree(wide);
  cudaFree(single);
}

/// Elements of less than a byte, several to a word of memory.
template <class T, int K>
__global__ void multiply_small(const unsigned* a, const unsigned* b, const int* c, int* d,
                               wmma::experimental::bmmaBitOp operation) {
  wmma::fragment<wmma::matrix_a, 8, 8, K, T, row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, K, T, col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, K, int> sum;
  wmma::load_matrix_sync(fa, a, K);
  wmma::load_matrix_sync(fb, b, K);
  wmma::load_matrix_sync(sum, c, 8, wmma::mem_row_major);
  if constexpr (std::is_same_v<T, wmma::experimental::precision::b1>) {
    wmma::bmma_sync(sum, fa, fb, sum, operation);
  } else {
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(d, sum, 8, wmma::mem_row_major);
}

template <class T, int K, class F>
void check_small(unsigned bits, F term, wmma::experimental::bmmaBitOp operation) {
  constexpr unsigned words = 8 * K / 32;
  const unsigned per_word = 32 / bits;
  auto* a = managed<unsigned>(words * bits);
  auto* b = managed<unsigned>(words * bits);
  auto* c = managed<int>(64);
  auto* d = managed<int>(64);
  for (unsigned i = 0; i < words * bits; ++i) {
    a[i] = 2654435761U * (i + 3);
    b[i] = 2246822519U * (i + 7);
  }
  for (int i = 0; i < 64; ++i) c[i] = i - 30;
  const simt::report r = simt::inspect([&] {
    multiply_small<T, K><<<1, 32>>>(a, b, c, d, operation);
    cudaDeviceSynchronize();
  });
  EXPECT_THAT(r.findings(), testing::IsEmpty()) << r.text();
  const auto bits_at = [&](const unsigned* of, unsigned row, unsigned k) {
    const unsigned at = row * K + k;
    return of[at / per_word] >> (at % per_word * bits) & ((1U << bits) - 1);
  };
  for (unsigned i = 0; i < 8; ++i) {
    for (unsigned j = 0; j < 8; ++j) {
      int sum = c[i * 8 + j];
      for (unsigned k = 0; k < K; ++k) sum += term(bits_at(a, i, k), bits_at(b, j, k));
      ASSERT_EQ(d[i * 8 + j], sum) << i << ", " << j;
    }
  }
  for (void* p : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c),
                  static_cast<void*>(d)}) {
    cudaFree(p);
  }
}

TEST(wmma, elements_of_less_than_a_byte) {
  namespace small = wmma::experimental::precision;
  const auto as_signed = [](unsigned v) {
    return v < 8 ? static_cast<int>(v) : static_cast<int>(v) - 16;
  };
  const auto any = wmma::experimental::bmmaBitOpXOR;
  check_small<small::u4, 32>(
      4, [](unsigned x, unsigned y) { return static_cast<int>(x * y); }, any);
  check_small<small::s4, 32>(
      4, [=](unsigned x, unsigned y) { return as_signed(x) * as_signed(y); }, any);
  check_small<small::b1, 128>(
      1, [](unsigned x, unsigned y) { return static_cast<int>(x ^ y); },
      wmma::experimental::bmmaBitOpXOR);
  check_small<small::b1, 128>(
      1, [](unsigned x, unsigned y) { return static_cast<int>(x & y); },
      wmma::experimental::bmmaBitOpAND);
}

__global__ void fill_small(unsigned* out) {
  namespace small = wmma::experimental::precision;
  wmma::fragment<wmma::matrix_a, 8, 8, 32, small::s4, row_major> whole;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, small::b1, col_major> bits;
  wmma::fill_fragment(whole, -3);
  wmma::fill_fragment(bits, 1U);
  if (threadIdx.x == 0) {
    out[0] = static_cast<unsigned>(whole.x[0]);
    out[1] = bits.x[0];
    out[2] = whole.num_elements;
    out[3] = bits.num_storage_elements;
  }
}

TEST(wmma, a_fragment_of_small_elements_is_filled_with_copies) {
  auto* out = managed<unsigned>(4);
  fill_small<<<1, 32>>>(out);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT((std::vector<unsigned>{out, out + 4}),
              testing::ElementsAre(0xddddddddU, ~0U, 8U, 1U));
  cudaFree(out);
}

/// Of 16 rows: four words of the left factor in a lane, and all of its elements are ones.
__global__ void small_instructions(int* whole, int* bits) {
  const unsigned lane = threadIdx.x, row = lane / 4, column = lane % 4;
  int c[4];
  asm("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0, %1, %2, %3}, {%4, %5, %4, %5}, "
      "{%6, %6}, {%7, %7, %7, %7};"
      : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
      : "r"(0x11111111), "r"(0xffffffff), "r"(0x22222222), "r"(5));
  for (unsigned n = 0; n < 4; ++n) whole[(row + n / 2 * 8) * 8 + column * 2 + n % 2] = c[n];
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, "
      "{%4, %5, %4, %5}, {%6, %6}, {%7, %7, %7, %7};"
      : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
      : "r"(0xffffffff), "r"(0x0000ffff), "r"(0x00ffff00), "r"(1));
  for (unsigned n = 0; n < 4; ++n) bits[(row + n / 2 * 8) * 8 + column * 2 + n % 2] = c[n];
}

TEST(mma, elements_of_less_than_a_byte) {
  auto* whole = managed<int>(128);
  auto* bits = managed<int>(128);
  small_instructions<<<1, 32>>>(whole, bits);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 128; ++i) {
    ASSERT_EQ(whole[i], i < 64 ? 64 * 2 + 5 : 64 * -2 + 5) << i;
    ASSERT_EQ(bits[i], i < 64 ? 8 * 16 + 1 : 8 * 8 + 1) << i;
  }
  cudaFree(whole);
  cudaFree(bits);
}

}  // namespace
