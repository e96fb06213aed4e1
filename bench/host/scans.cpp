// Prefix sums of more bytes than any cache holds, beside std's and beside a parallel copy.
#include <algorithm>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>

#include <tbb/parallel_for.h>

#include "bench/host/job.hpp"
#include "bench/host/values.hpp"
#include "warpfold/host/scan.hpp"

namespace warpfold::bench {
namespace {

template <class T>
void add_of(std::vector<job>& jobs, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(T);
  const auto in = small_numbers<T>(n);
  const auto out = std::make_shared<std::vector<T>>(n);
  auto prefixes = std::make_shared<std::vector<T>>(n);
  std::inclusive_scan(in->begin(), in->end(), prefixes->begin(), plus{});
  const auto add = [&](const char* op, const char* who, auto call, const auto& expected) {
    measure::measurement row;
    row.ladder = "scan", row.op = op, row.form = "inclusive", row.type = type_name<T>();
    row.name = who, row.n = n, row.useful_bytes = 2 * bytes;
    jobs.push_back({row, [=] { std::fill(out->begin(), out->end(), T{1}); },
                    [=] { call(*in, *out); },
                    [=] { return std::memcmp(out->data(), expected->data(), bytes) == 0; }});
  };
  add(
      "sum", "warpfold", [](const auto& v, auto& to) { inclusive_scan(host, v, to); }, prefixes);
  add(
      "sum", "std::inclusive_scan(par)",
      [](const auto& v, auto& to) {
        std::inclusive_scan(std::execution::par, v.begin(), v.end(), to.begin());
      },
      prefixes);
  add(
      "copy", "parallel memcpy",
      [](const auto& v, auto& to) {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, v.size()), [&](const auto& part) {
          std::memcpy(to.data() + part.begin(), v.data() + part.begin(), part.size() * sizeof(T));
        });
      },
      in);
}

}  // namespace

void add_scans(std::vector<job>& jobs, const sizes& s) {
  add_of<float>(jobs, s.bytes);
  add_of<std::int32_t>(jobs, s.bytes);
  add_of<double>(jobs, s.bytes);
}

}  // namespace warpfold::bench
