#include "ladder/climb_sort.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "ladder/sort_reference.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

constexpr unsigned char poison = 0xA5;
constexpr std::size_t value_bytes = sizeof(std::uint32_t);

std::size_t key_bytes(const sort_problem& p) { return p.keys.n * size_of(p.keys.type); }
std::size_t bytes_each(const sort_problem& p) {
  return size_of(p.keys.type) + (p.pairs ? value_bytes : 0);
}

measure::measurement describe(const sort_problem& p, const description& about) {
  measure::measurement m = row_of("sort", about);
  m.n = p.keys.n;
  m.type = name_of(p.keys.type);
  m.op = p.pairs ? "pairs" : "keys";
  m.form = p.descending ? "descending" : "ascending";
  m.useful_bytes = 2 * p.keys.n * bytes_each(p);
  return m;
}

/// The keys and, behind them, their values: the index that each had.
std::vector<std::byte> input_of(const sort_problem& p) {
  std::vector<std::byte> bytes(p.keys.n * bytes_each(p));
  if (!bytes.empty()) std::memcpy(bytes.data(), p.keys.data, key_bytes(p));
  if (p.pairs) {
    auto* const values = reinterpret_cast<std::uint32_t*>(bytes.data() + key_bytes(p));
    std::iota(values, values + p.keys.n, 0U);
  }
  return bytes;
}

class sort_attempt final : public attempt {
 public:
  sort_attempt(const rung& r, const sort_problem& p, machine& where, const sort_reference& truth)
      : rung_(r),
        problem_(p),
        where_(where),
        truth_(truth),
        shape_{.n = p.keys.n,
               .block = p.block,
               .processors = where.processors(),
               .value_bytes = bytes_each(p)},
        out_(where, p.keys.n * bytes_each(p)),
        scratch_(where, r.scratch_bytes(shape_)) {}

  void launch(void* in) override {
    sorted_ = rung_.about.in_place ? in : out_.get();
    launches_ = rung_.launch({.type = problem_.keys.type,
                              .op = operation::sum,  // nothing is summed
                              .shape = shape_,
                              .in = in,
                              .out = sorted_,
                              .scratch = scratch_.get(),
                              .stream = where_.stream(),
                              .values_in = values_of(in),
                              .values_out = values_of(sorted_),
                              .descending = problem_.descending});
  }

  measure::verdict judge() override {
    where_.synchronize();
    results_.resize(out_.bytes());
    where_.read(results_.data(), sorted_, out_.bytes());
    return truth_.judge(results_.data(),
                        static_cast<const std::uint32_t*>(values_of(results_.data())));
  }

  void poison_outputs() override { where_.fill(out_.get(), poison, out_.bytes()); }
  [[nodiscard]] std::size_t output_bytes() const override { return out_.bytes(); }
  [[nodiscard]] unsigned launches() const override { return launches_; }
  [[nodiscard]] double depth() const { return rung_.depth_limit(shape_); }

 private:
  void* values_of(void* keys) const {
    return problem_.pairs ? static_cast<std::byte*>(keys) + key_bytes(problem_) : nullptr;
  }

  const rung& rung_;
  const sort_problem& problem_;
  machine& where_;
  const sort_reference& truth_;
  shape shape_;
  device_memory out_, scratch_;
  void* sorted_ = nullptr;
  std::vector<std::byte> results_;
  unsigned launches_ = 0;
};

measure::measurement on_host(const sort_problem& p, const sort_reference& truth,
                             const description& about,
                             void (*sort)(const host_values&, bool, void*)) {
  measure::measurement m = describe(p, about);
  m.backend = "host";
  m.device = "one CPU core";
  if (about.most_values != 0 && m.n > about.most_values) {
    m.skipped = too_many(about);
    return m;
  }
  std::vector<std::byte> sorted(key_bytes(p));
  m.timing = time_on_host([&] { sort(p.keys, p.descending, sorted.data()); });
  m.verdict = truth.judge(sorted.data(), nullptr);
  return m;
}

std::vector<measure::measurement> rungs_of_the_host(const sort_problem& p,
                                                    const sort_reference& truth) {
  static constexpr description serial{.number = 0,
                                      .name = "serial",
                                      .idea = "the standard library's sort, keys alone",
                                      .mends = "",
                                      .watch = "",
                                      .source = "the C++ standard library",
                                      .changed = ""};
  static constexpr description recursive{
      .number = 2,
      .name = "recursive-bitonic",
      .idea = "sort halves opposite ways, merge them, by recursion",
      .mends = "",
      .watch = "",
      .source = "document 002, recursive C program",
      .changed = "any n, not only powers of two"};
  return {on_host(p, truth, serial, sort_serial), on_host(p, truth, recursive, sort_recursive)};
}

}  // namespace

std::vector<measure::measurement> climb_sort(const sort_problem& p, machine& where,
                                             std::span<const rung* const> rungs,
                                             const report_progress& report) {
  check_block(p.block);
  if (p.pairs && p.keys.n > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("--pairs: at most 2^32 - 1 of them, since the values are u32");
  }
  const sort_reference truth(p.keys, p.descending);
  std::vector<measure::measurement> rows = rungs_of_the_host(p, truth);
  const std::vector<std::byte> in = input_of(p);
  rotating_input inputs(in.data(), in.size(), where);
  const auto begin = [&](const description& about) {
    measure::measurement m = describe(p, about);
    m.block = p.block;
    return m;
  };
  const auto run = [&](const rung& r, measure::measurement& m) {
    if (p.keys.n == 0) {
      m.verdict = truth.judge(nullptr, nullptr);  // nothing to launch
      return;
    }
    sort_attempt up(r, p, where, truth);
    m.counters.push_back({std::string(measure::counters::depth), up.depth()});
    measure_attempt(up, r, inputs, where, p.samples, m);
  };
  climb_rungs(rungs, where, report, begin, run, rows);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.number < b.number; });
  return rows;
}

}  // namespace warpfold::ladder
