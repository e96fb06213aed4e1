#include "ladder/run/histogram_driver.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ladder/ladder.hpp"
#include "ladder/reference/histogram.hpp"

namespace warpfold::ladder {

namespace {

std::size_t bytes_of(const host_values& values) { return values.n * size_of(values.type); }

std::string obstacle_to(const rung& r, const histogram_problem& p) {
  const shape s{.n = p.values.n, .block = p.block, .bins = p.bins};
  if (r.most_bins == nullptr || p.bins <= r.most_bins(s)) return {};
  return fmt::format("takes at most {} bins", r.most_bins(s));
}

constexpr description host_rungs[] = {{.number = 0,
                                       .name = "serial",
                                       .idea = "a loop on one core of the CPU",
                                       .source = "beyond the documents"}};

class histogram_runner final : public rung_runner {
 public:
  histogram_runner(const rung& r, const histogram_problem& p, machine& where,
                   const histogram_reference& truth)
      : rung_runner(r, where,
                    {.n = p.values.n,
                     .block = p.block,
                     .processors = where.processors(),
                     .value_bytes = size_of(p.values.type),
                     .bins = p.bins},
                    p.bins * sizeof(std::uint32_t)),
        type_(p.values.type),
        truth_(truth) {}

  void launch(void* in) override {
    launches_ = rung_.launch({.type = type_,
                              .op = operation::sum,
                              .shape = shape_,
                              .in = in,
                              .out = outputs_[0].get(),
                              .scratch = scratch_.get(),
                              .stream = where_.stream()});
  }

  measure::verdict judge() override {
    const auto counts = fetch(outputs_[0].get(), output_bytes());
    return truth_.judge(reinterpret_cast<const std::uint32_t*>(counts.data()));
  }

  [[nodiscard]] double depth() const override {
    return rung_.depth_limit != nullptr ? rung_.depth_limit(shape_) : 0;
  }

 private:
  value_type type_;
  const histogram_reference& truth_;
};

}  // namespace

std::span<const description> histogram_rungs_of_host() { return host_rungs; }

std::vector<measure::measurement> run_histogram_ladder(const histogram_problem& p, machine& where,
                                                       std::span<const rung* const> rungs,
                                                       const report_progress& report) {
  check_bins(p.bins);
  const histogram_reference truth(p.values, p.bins);
  const auto describe = [&](measure::measurement& m) {
    m.type = name_of(p.values.type);
    m.op = fmt::format("{} bins", p.bins);
    m.useful_bytes = bytes_of(p.values);
  };
  const auto run_on_host = [&](const description&, measure::measurement& m) {
    std::vector<std::uint32_t> counts(p.bins);
    m.timing = time_on_host([&] { count_serial(p.values, counts); });
    m.verdict = truth.judge(counts.data());
  };
  const auto of_nothing = [&] { return truth.judge(std::vector<std::uint32_t>(p.bins).data()); };
  return run_rungs(
      {.ladder = ladder_kind::histogram,
       .n = p.values.n,
       .block = p.block,
       .samples = p.samples,
       .input = p.values.data,
       .input_bytes = bytes_of(p.values),
       .describe = describe,
       .on_host = host_rungs,
       .run_on_host = run_on_host,
       .obstacle = [&](const rung& r) { return obstacle_to(r, p); },
       .prepare =
           [&](const rung& r) { return std::make_unique<histogram_runner>(r, p, where, truth); },
       .of_nothing = of_nothing},
      where, rungs, report);
}

namespace histogram_ladder {
std::span<const rung_source> sources();
}

const ladder_entry& histogram_entry() {
  static const ladder_entry entry{
      .kind = ladder_kind::histogram,
      .rungs = histogram_rungs,
      .sources = histogram_ladder::sources,
      .instances_here = histogram_instances,
      .host = histogram_rungs_of_host,
      .run_once = [](std::span<const std::uint32_t> values, unsigned block, machine& where,
                     std::span<const rung* const> rungs) {
        std::vector<std::uint32_t> in_bins(values.begin(), values.end());
        for (auto& v : in_bins) v %= default_bins;
        const host_values all{value_type::u32, in_bins.data(), in_bins.size()};
        return run_histogram_ladder({.values = all, .block = block}, where, rungs);
      }};
  return entry;
}

}  // namespace warpfold::ladder
