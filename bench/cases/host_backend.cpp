// The cores of this machine as a place for benchmarks.
#include <algorithm>

#include "bench/cases/host_cases.hpp"
#include "bench/harness/host_memory.hpp"
#include "simt/memory.hpp"

namespace warpfold::bench {
namespace {

constexpr peer tbb_peers[] = {
    {"tbb", "std::reduce, std::inclusive_scan, std::exclusive_scan, std::sort in parallel"}};

/// The best rate of a few runs; GB/s.
template <class Run>
double rate_of(std::size_t bytes, Run run) {
  double best = 0;
  for (int i = 0; i < 4; ++i) {
    best = std::max(best, static_cast<double>(bytes) / time_us(run) * 1e-3);
  }
  return best;
}

class host_backend final : public backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "host"; }
  [[nodiscard]] measure::run_info about() const override { return host_run_info(); }
  [[nodiscard]] std::span<const peer> peers() const override { return tbb_peers; }

  [[nodiscard]] std::size_t memory_for(const bench_case& c) const override {
    // Sorts have a copy of the input, keys, items, and pairs of both, and work in as much again.
    const std::size_t bytes = c.useful_bytes() * (c.what == algorithm::sort ? 4 : 1);
    return 3 * bytes + 6 * cache_bytes();
  }
  [[nodiscard]] std::size_t free_memory() const override { return simt::free_memory(); }
  [[nodiscard]] std::vector<std::size_t> default_sizes(algorithm what) const override {
    std::vector<std::size_t> sizes;
    const int last = what == algorithm::sort ? 20 : 24;
    for (int e = 12; e <= last; e += 4) sizes.push_back(std::size_t{1} << e);
    return sizes;
  }
  [[nodiscard]] unsigned default_samples() const override { return 10; }

  double read_rate() override {
    const std::vector<std::uint64_t> words(4 * cache_bytes() / 8, 1);
    volatile std::uint64_t seen = 0;
    double best = 0;
    for (const unsigned places : read_places) {
      best = std::max(best, rate_of(words.size() * 8, [&] { seen = read_all(words, places); }));
    }
    return best;
  }
  double copy_rate() override {
    const std::size_t n = cache_bytes();
    slot_memory<char> from(n, 1), to(n, 1);
    from.fill([](std::size_t i) { return static_cast<char>(i); });
    to.fill([](std::size_t) { return char{}; });
    return rate_of(2 * n, [&] { copy_all(to.slot(0), from.slot(0), n); });
  }

  measurements run(const bench_case& c, std::span<const std::string> against) override {
    switch (c.what) {
      case algorithm::reduce: return run_host_reduce(c, against);
      case algorithm::scan: return run_host_scan(c, against);
      default: return run_host_sort(c, against);
    }
  }
};

}  // namespace

std::unique_ptr<backend> make_host_backend() { return std::make_unique<host_backend>(); }

}  // namespace warpfold::bench
