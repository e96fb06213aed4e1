#include "ladder/climb_scan.hpp"

#include <algorithm>

#include "ladder/scan_reference.hpp"

namespace warpfold::ladder {

namespace {

constexpr unsigned char poison = 0xA5;

std::size_t bytes_of(const host_values& values) { return values.n * size_of(values.type); }

measure::measurement describe(const scan_problem& p, const description& about) {
  measure::measurement m = row_of("scan", about);
  m.n = p.values.n;
  m.type = name_of(p.values.type);
  m.op = name_of(p.op);
  m.form = p.exclusive ? "exclusive" : "inclusive";
  m.useful_bytes = 2 * bytes_of(p.values);
  return m;
}

class scan_attempt final : public attempt {
 public:
  scan_attempt(const rung& r, const scan_problem& p, machine& where, const scan_reference& truth)
      : rung_(r),
        problem_(p),
        where_(where),
        truth_(truth),
        shape_{.n = p.values.n,
               .block = p.block,
               .processors = where.processors(),
               .value_bytes = size_of(p.values.type)},
        out_(where, bytes_of(p.values)),
        scratch_(where, r.scratch_bytes(shape_)) {
    where.fill(scratch_.get(), 0, scratch_.bytes());
    measure_depth();
  }

  void launch(void* in) override { launch(in, problem_.values.type, problem_.op); }

  measure::verdict judge() override {
    const std::vector<std::byte>& results = read();
    const double limit = rung_.depth_limit != nullptr ? rung_.depth_limit(shape_) : 0;
    return truth_.judge(results.data(), std::max(depth_, limit));
  }

  void poison_outputs() override { where_.fill(out_.get(), poison, out_.bytes()); }
  [[nodiscard]] std::size_t output_bytes() const override { return out_.bytes(); }
  [[nodiscard]] unsigned launches() const override { return launches_; }
  [[nodiscard]] double depth() const { return depth_; }

 private:
  void launch(void* in, value_type type, operation op) {
    launches_ = rung_.launch({.type = type,
                              .op = op,
                              .shape = shape_,
                              .in = in,
                              .out = out_.get(),
                              .scratch = scratch_.get(),
                              .stream = where_.stream(),
                              .exclusive = problem_.exclusive});
  }

  const std::vector<std::byte>& read() {
    where_.synchronize();
    results_.resize(out_.bytes());
    where_.read(results_.data(), out_.get(), out_.bytes());
    return results_;
  }

  /// Of the longest chain of applications that ends in a result, with values of the same size.
  void measure_depth() {
    const device_memory zeros(where_, out_.bytes());
    where_.fill(zeros.get(), 0, zeros.bytes());
    const bool wide = shape_.value_bytes == 8;
    launch(zeros.get(), wide ? value_type::i64 : value_type::i32, operation::longest_chain);
    const std::byte* const chains = read().data();
    for (std::size_t i = 0; i < shape_.n; ++i) {
      const auto chain = wide ? reinterpret_cast<const std::int64_t*>(chains)[i]
                              : reinterpret_cast<const std::int32_t*>(chains)[i];
      depth_ = std::max(depth_, static_cast<double>(chain));
    }
  }

  const rung& rung_;
  const scan_problem& problem_;
  machine& where_;
  const scan_reference& truth_;
  shape shape_;
  device_memory out_, scratch_;
  std::vector<std::byte> results_;
  unsigned launches_ = 0;
  double depth_ = 0;
};

measure::measurement on_host(const scan_problem& p, const scan_reference& truth) {
  static constexpr description serial{.number = 0,
                                      .name = "serial",
                                      .idea = "a loop on one core of the CPU",
                                      .mends = "",
                                      .watch = "",
                                      .source = "document 002, sequential code",
                                      .changed = ""};
  measure::measurement m = describe(p, serial);
  m.backend = "host";
  m.device = "one CPU core";
  std::vector<std::byte> results(bytes_of(p.values));
  m.timing = time_on_host([&] { scan_serial(p.values, p.op, p.exclusive, results.data()); });
  const auto applications = static_cast<double>(p.values.n) - 1;
  m.verdict = truth.judge(results.data(), applications);
  if (p.values.n > 0) {
    m.counters.push_back({std::string(measure::counters::applications), applications});
    m.counters.push_back({std::string(measure::counters::depth), applications});
  }
  return m;
}

}  // namespace

std::vector<measure::measurement> climb_scan(const scan_problem& p, machine& where,
                                             std::span<const rung* const> rungs,
                                             const report_progress& report) {
  check_block(p.block);
  const scan_reference truth(p.values, p.op, p.exclusive);
  std::vector<measure::measurement> rows{on_host(p, truth)};
  rotating_input inputs(p.values.data, bytes_of(p.values), where);
  const auto begin = [&](const description& about) {
    measure::measurement m = describe(p, about);
    m.block = p.block;
    return m;
  };
  const auto run = [&](const rung& r, measure::measurement& m) {
    if (p.values.n == 0) {
      m.verdict = truth.judge(nullptr, 0);  // nothing to launch
      return;
    }
    scan_attempt up(r, p, where, truth);
    m.counters.push_back({std::string(measure::counters::depth), up.depth()});
    measure_attempt(up, r, inputs, where, p.samples, m);
  };
  climb_rungs(rungs, where, report, begin, run, rows);
  return rows;
}

}  // namespace warpfold::ladder
