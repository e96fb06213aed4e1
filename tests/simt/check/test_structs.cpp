// Structs that are copied or cleared whole: the compiler makes one instruction of it, a device one
// access for each part.
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

struct point {
  float x, y, z;
};
struct alignas(16) wide {
  float of[8];
};
struct name {
  char of[12];
};

constexpr int copy_line = __LINE__ + 3;
template <class T>
__global__ void copy(const T* in, T* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
template <class T>
__global__ void clear(T* out) {
  out[threadIdx.x] = {};
}
__global__ void copy_bytes(char* bytes, unsigned by, unsigned n) {
  std::memmove(bytes + by, bytes, n);
}
__global__ void change(const wide* in, wide* out) {
  wide own = in[threadIdx.x];
  own.of[threadIdx.x % 8] = 1;
  out[threadIdx.x] = own;
}
template <bool Barrier>
__global__ void exchange(const point* in, point* out) {
  point* const s = detail::dynamic_shared<point>();
  s[threadIdx.x] = in[threadIdx.x];
  if constexpr (Barrier) __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 32];
}

template <class T>
void expect_accesses(unsigned of_each_lane) {
  const device_array<T> in(64), out(64);
  const auto c =
      counted([&] { simt::launch({.grid = 1, .block = 64}, copy<T>, in.data(), out.data()); });
  for (const auto& m : {c.global_load, c.global_store}) {
    EXPECT_EQ(m.requests, 2 * of_each_lane);
    EXPECT_EQ(m.bytes, 64 * sizeof(T));
  }
  const auto cleared =
      counted([&] { simt::launch({.grid = 1, .block = 64}, clear<T>, out.data()); });
  EXPECT_EQ(cleared.global_store.bytes, 64 * sizeof(T));
}

TEST(structs, are_copied_by_accesses_as_wide_as_they_are_aligned) {
  expect_accesses<point>(3);
  expect_accesses<wide>(2);
  expect_accesses<name>(12);
}

template <class F>
std::vector<simt::finding> found_by(F f) {
  simt::observe scope({.check = true});
  try {
    f();
  } catch (const simt::kernel_error&) {
  }
  return scope.findings;
}

TEST(structs, past_the_end) {
  const device_array<point> in(64), out(64), less(63);
  const device_array<wide> wide_in(8), wide_out(7);
  const auto run = [](auto kernel, unsigned threads, auto... arguments) {
    return found_by([&] { simt::launch({.grid = 1, .block = threads}, kernel, arguments...); });
  };
  EXPECT_THAT(run(copy<point>, 64, in.data(), out.data()), IsEmpty());
  for (const auto& all :
       {run(copy<point>, 64, less.data(), out.data()), run(copy<point>, 64, in.data(), less.data()),
        run(clear<point>, 64, less.data()), run(change, 8, wide_in.data(), wide_out.data())}) {
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all[0].kind, simt::finding_kind::out_of_bounds);
  }
  const device_array<wide> enough(8);
  EXPECT_THAT(run(change, 8, wide_in.data(), enough.data()), IsEmpty());
  EXPECT_EQ(enough[3].of[3], 1.F);
}

TEST(structs, race) {
  device_array<point> in(64), out(64);
  for (unsigned i = 0; i < 64; ++i) in[i] = {static_cast<float>(i), -static_cast<float>(i), 1};
  const auto run = [&](auto kernel) {
    return found_by([&] {
      simt::launch({.grid = 1, .block = 64, .shared_bytes = 64 * sizeof(point)}, kernel, in.data(),
                   out.data());
    });
  };
  EXPECT_THAT(run(exchange<true>), IsEmpty());
  EXPECT_EQ(out[1].x, 33);
  EXPECT_EQ(out[63].y, -31);
  const auto races = run(exchange<false>);
  ASSERT_FALSE(races.empty());
  EXPECT_THAT(races, Contains(Field(&simt::finding::kind, simt::finding_kind::race_between_warps)));
}

TEST(structs, move_over_themselves) {
  device_array<char> bytes(10);
  for (unsigned i = 0; i < 10; ++i) bytes[i] = "abcdefghij"[i];
  simt::launch({.grid = 1, .block = 1}, copy_bytes, bytes.data(), 2U, 8U);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "ababcdefgh");
}

TEST(structs, fault_where_the_kernel_copies) {
  const device_array<point> out(1);
  const auto* const nowhere = reinterpret_cast<const point*>(64);
  const std::string error = kernel_error_of(
      [&] { simt::launch({.grid = 1, .block = 1}, copy<point>, nowhere, out.data()); });
  EXPECT_THAT(error, HasSubstr("accesses address 0x40"));
  EXPECT_THAT(error, HasSubstr("test_structs.cpp:" + std::to_string(copy_line)));
}

}  // namespace
}  // namespace warpfold::tests
