#include "ladder/run/scan_driver.hpp"

#include <algorithm>

#include "ladder/ladder.hpp"
#include "ladder/reference/scan.hpp"

namespace warpfold::ladder {

namespace {

std::size_t bytes_of(const host_values& values) { return values.n * size_of(values.type); }

constexpr description host_rungs[] = {{.number = 0,
                                       .name = "serial",
                                       .idea = "a loop on one core of the CPU",
                                       .source = "document 002, sequential code"}};

class scan_runner final : public rung_runner {
 public:
  scan_runner(const rung& r, const scan_problem& p, machine& where, const scan_reference& truth)
      : rung_runner(r, where,
                    {.n = p.values.n,
                     .block = p.block,
                     .processors = where.processors(),
                     .value_bytes = size_of(p.values.type)},
                    bytes_of(p.values)),
        problem_(p),
        truth_(truth) {
    measure_depth();
  }

  void launch(void* in) override { launch(in, problem_.values.type, problem_.op); }

  measure::verdict judge() override {
    const auto results = fetch(outputs_[0].get(), output_bytes());
    const double limit = rung_.depth_limit != nullptr ? rung_.depth_limit(shape_) : 0;
    return truth_.judge(results.data(), std::max(depth_, limit));
  }

  [[nodiscard]] double depth() const override { return depth_; }

 private:
  void launch(void* in, value_type type, operation op) {
    launches_ = rung_.launch({.type = type,
                              .op = op,
                              .shape = shape_,
                              .in = in,
                              .out = outputs_[0].get(),
                              .scratch = scratch_.get(),
                              .stream = where_.stream(),
                              .exclusive = problem_.exclusive});
  }

  /// Measures the longest chain of applications that ends in a result, with values of the same
  /// size.
  void measure_depth() {
    const device_memory zeros(where_, output_bytes());
    where_.fill(zeros.get(), 0, zeros.bytes());
    const bool wide = shape_.value_bytes == 8;
    launch(zeros.get(), wide ? value_type::i64 : value_type::i32, operation::longest_chain);
    const auto chains = fetch(outputs_[0].get(), output_bytes());
    for (std::size_t i = 0; i < shape_.n; ++i) {
      const auto chain = wide ? reinterpret_cast<const std::int64_t*>(chains.data())[i]
                              : reinterpret_cast<const std::int32_t*>(chains.data())[i];
      depth_ = std::max(depth_, static_cast<double>(chain));
    }
  }

  const scan_problem& problem_;
  const scan_reference& truth_;
  double depth_ = 0;
};

}  // namespace

std::span<const description> scan_rungs_of_host() { return host_rungs; }

std::vector<measure::measurement> run_scan_ladder(const scan_problem& p, machine& where,
                                                  std::span<const rung* const> rungs,
                                                  const report_progress& report) {
  const scan_reference truth(p.values, p.op, p.exclusive);
  const auto describe = [&](measure::measurement& m) {
    m.type = name_of(p.values.type);
    m.op = name_of(p.op);
    m.form = p.exclusive ? "exclusive" : "inclusive";
    m.useful_bytes = 2 * bytes_of(p.values);
  };
  const auto run_on_host = [&](const description&, measure::measurement& m) {
    std::vector<std::byte> results(bytes_of(p.values));
    m.timing = time_on_host([&] { scan_serial(p.values, p.op, p.exclusive, results.data()); });
    const auto applications = static_cast<double>(p.values.n) - 1;
    m.verdict = truth.judge(results.data(), applications);
    if (p.values.n > 0) {
      m.counters.push_back({std::string(measure::counters::applications), applications});
      m.counters.push_back({std::string(measure::counters::depth), applications});
    }
  };
  return run_rungs(
      {.ladder = ladder_kind::scan,
       .n = p.values.n,
       .block = p.block,
       .samples = p.samples,
       .input = p.values.data,
       .input_bytes = bytes_of(p.values),
       .describe = describe,
       .on_host = host_rungs,
       .run_on_host = run_on_host,
       .obstacle = [&](const rung& r) { return obstacle_to(r, p.values.type, p.op); },
       .prepare = [&](const rung& r) { return std::make_unique<scan_runner>(r, p, where, truth); },
       .of_nothing = [&] { return truth.judge(nullptr, 0); }},
      where, rungs, report);
}

namespace scan_ladder {
std::span<const rung_source> sources();
}

const ladder_entry& scan_entry() {
  static const ladder_entry entry{
      .kind = ladder_kind::scan,
      .rungs = scan_rungs,
      .sources = scan_ladder::sources,
      .instances_here = scan_instances,
      .host = scan_rungs_of_host,
      .run_once = [](std::span<const std::uint32_t> values, unsigned block, machine& where,
                     std::span<const rung* const> rungs) {
        const host_values all{value_type::i32, values.data(), values.size()};
        return run_scan_ladder({.values = all, .block = block}, where, rungs);
      }};
  return entry;
}

}  // namespace warpfold::ladder
