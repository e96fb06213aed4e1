// Calls across GPUs from generic lambdas, with every header of the library: nvcc compiles this file
// with --expt-relaxed-constexpr and --extended-lambda, as extensions of PyTorch are.
#include <cstddef>
#include <span>

#include "warpfold/nccl.hpp"
#include "warpfold/warpfold.hpp"

using namespace warpfold;  // NOLINT(google-build-using-namespace)

void calls(const all_devices& gpus, std::span<int> keys, std::span<int> items) {
  const auto run = [&](auto call) {
    gpus.run([&](const auto& place) { call(place, keys, items); });
  };
  run([](const auto& place, auto in, auto out) { out[0] = reduce(place, in, 0); });
  run([](const auto& place, auto in, auto out) {
    exclusive_scan(place, in, out, 0).throw_if_failed("a scan");
  });
  run([](const auto& place, auto in, auto out) { out[0] = argmax(place, in).value; });
  run([](const auto& place, auto in, auto out) {
    stable_sort_by_key(place, in, out).throw_if_failed("a sort");
  });
  run([](const auto& place, auto in, auto) {
    sort(place, in, descending{}).throw_if_failed("a sort");
  });
  run([](const auto& place, auto in, auto out) { (void)reduce_by_key(place, in, in, out, out); });
  run([](const auto& place, auto in, auto out) {
    (void)group_by(place, in, out, sum_of(in, out), count_of(out));
  });
}
