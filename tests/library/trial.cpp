#include <gtest/gtest.h>
#include <random>
#include <vector>
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"
#include "simt/launch.hpp"
#include "simt/memory.hpp"
namespace wf = warpfold;
using value = int;
template <class Shape, bool Bulk>
void try_scan(std::size_t n, unsigned shift, bool check) {
  SCOPED_TRACE(testing::Message() << n << " shift " << shift << " " << Shape::threads << "x" << Shape::loads << " " << Shape::stages << " " << Shape::delay << " bulk " << Bulk);
  const std::size_t work = 1 << 20;
  char* w = static_cast<char*>(simt::allocate(work));
  std::memset(w, 0, work);
  auto* in = static_cast<value*>(simt::allocate((n + 8) * 4));
  auto* out = static_cast<value*>(simt::allocate((n + 8) * 4));
  std::mt19937 gen(n);
  for (std::size_t i = 0; i < n + 8; ++i) in[i] = static_cast<int>(gen()), out[i] = 77;
  for (int round = 0; round < 2; ++round) {
    simt::observe o({.check = check, .patience_seconds = 5});
    wf::detail::scan_job<value, value, wf::plus> job{in + shift, out + shift, n, shift, 5, round == 0, {}};
    ASSERT_TRUE((wf::detail::launch_scan<Shape, Bulk>(wf::device.with(wf::workspace_view{w, work}), job).ok()));
    for (auto& f : o.findings) ADD_FAILURE() << f.text();
    value sum = 5;
    for (std::size_t i = 0; i < n; ++i) {
      value before = sum; sum = (unsigned)sum + (unsigned)in[shift + i];
      ASSERT_EQ(out[shift + i], round == 0 ? before : sum) << i;
    }
    for (unsigned i = 0; i < shift; ++i) ASSERT_EQ(out[i], 77);
    for (std::size_t i = shift + n; i < n + 8; ++i) ASSERT_EQ(out[i], 77);
  }
  simt::free(w); simt::free(in); simt::free(out);
}
template <unsigned T, unsigned L, unsigned S, unsigned D>
void shapes() {
  using shape = wf::tuning::scan_shape<T, L, S, D, 1>;
  const std::size_t tile = T * L * 4;
  for (std::size_t n : {std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 3, 131 * tile + 7, 300 * tile})
    for (unsigned shift : {0U, 3U}) { try_scan<shape, true>(n, shift, n < 10 * tile); try_scan<shape, false>(n, shift, n < 10 * tile); }
}
TEST(scan, shapes) { shapes<32, 1, 3, 1>(); shapes<64, 1, 4, 1>(); shapes<32, 3, 4, 2>(); shapes<32, 1, 8, 3>(); shapes<32, 1, 7, 4>(); }
TEST(scan, regions) { try_scan<wf::tuning::scan_shape<32, 1, 3, 1, 1>, true>(9000 * 128 + 1, 0, false); }
