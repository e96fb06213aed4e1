// cuRAND's generators in kernels. The numbers are those that its own header draws.
#include <array>
#include <vector>

#include <curand_kernel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simt/instructions/one_block.hpp"

namespace {

using testing::DoubleNear;
using word = unsigned long long;

template <class State>
__global__ void draw(unsigned* out, int n, word seed, word subsequence, word offset) {
  State s;
  curand_init(seed, subsequence, offset, &s);
  for (int i = 0; i < n; ++i) out[i] = curand(&s);
}

template <class State>
std::vector<unsigned> drawn(word seed, word subsequence, word offset, int n = 6) {
  return run<unsigned>(draw<State>, static_cast<std::size_t>(n), n, seed, subsequence, offset);
}

TEST(random_numbers, are_those_of_curand) {
  using testing::ElementsAre;
  EXPECT_THAT(drawn<curandState>(1234, 0, 0),
              ElementsAre(0x253d5e15, 0x6f558604, 0xdee6daf2, 0x7485b394, 0xdb6a6a85, 0x95195c6b));
  EXPECT_THAT(drawn<curandState>(0xdeadbeef12345678, 77, 1000003),
              ElementsAre(0x3e1a5636, 0x46fd048d, 0xac8e42a7, 0x947a5d8b, 0x3f000e2c, 0x4aa60828));
  EXPECT_THAT(drawn<curandStatePhilox4_32_10_t>(1234, 0, 0),
              ElementsAre(0x2090b348, 0xda7cf0ab, 0x4401906f, 0xcbca470e, 0x9eeede35, 0x1cbe137c));
  EXPECT_THAT(drawn<curandStatePhilox4_32_10_t>(0xdeadbeef12345678, 77, 1000003),
              ElementsAre(0x636d4855, 0x8176f11f, 0xcfa12b95, 0x95bc5527, 0xd8fe2c2e, 0x2636a09a));
}

template <class State>
void check_offsets() {
  const auto all = drawn<State>(5, 3, 0, 40);
  for (const int offset : {1, 4, 7, 30}) {
    EXPECT_THAT(drawn<State>(5, 3, static_cast<word>(offset), 10),
                testing::ElementsAreArray(all.begin() + offset, all.begin() + offset + 10));
  }
}
TEST(random_numbers, an_offset_is_so_many_draws) {
  check_offsets<curandState>();
  check_offsets<curandStatePhilox4_32_10_t>();
}

/// As the numbers above go on: after six of them, in this order.
template <class State>
__global__ void distribute(double* out) {
  State s;
  curand_init(1234, 0, 6, &s);
  out[0] = curand_uniform(&s);
  out[1] = curand_uniform_double(&s);
  out[2] = curand_normal(&s);
  out[3] = curand_normal(&s);
  out[4] = curand_normal_double(&s);
  out[5] = curand_normal_double(&s);
  out[6] = curand_log_normal(&s, 1.0F, 0.5F);
  const float2 v = curand_normal2(&s);
  out[7] = v.x;
  out[8] = v.y;
  out[9] = curand_normal(&s);
}

TEST(random_numbers, distributions_are_those_of_curand) {
  const auto close = [](const std::array<double, 10>& expected) {
    std::vector<testing::Matcher<double>> all;
    for (const double e : expected) all.push_back(DoubleNear(e, 6e-6));
    return testing::ElementsAreArray(all);
  };
  EXPECT_THAT(run<double>(distribute<curandState>, 10),
              close({0.20140387, 0.30077175, -0.65769, -1.25435, -1.13804830, 0.27937272, 4.07426,
                     0.70721, 1.15938, -0.90516}));
  EXPECT_THAT(run<double>(distribute<curandStatePhilox4_32_10_t>, 10),
              close({0.97716433, 0.08006080, -0.16229, 1.65918, 0.85884411, 0.71492174, 1.92416,
                     -1.10544, 1.95257, -0.38880}));
}

}  // namespace
