#include "ladder/run/reduce_driver.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ladder/ladder.hpp"
#include "ladder/run/scaling.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

/// Integer means are computed from sums of i64, which do not overflow: the kernels' input is
/// widened.
class kernel_input {
 public:
  explicit kernel_input(const reduce_problem& p) : values_(p.values) {
    if (p.op != operation::mean || p.values.type != value_type::i32) return;
    const auto* const narrow = static_cast<const std::int32_t*>(p.values.data);
    widened_.assign(narrow, narrow + p.values.n);
    values_ = {value_type::i64, widened_.data(), p.values.n};
  }
  kernel_input(const kernel_input&) = delete;
  kernel_input& operator=(const kernel_input&) = delete;
  ~kernel_input() = default;
  [[nodiscard]] const host_values& values() const { return values_; }
  [[nodiscard]] std::size_t bytes() const { return values_.n * size_of(values_.type); }

 private:
  host_values values_;
  std::vector<std::int64_t> widened_;
};

constexpr description host_rungs[] = {{.number = 0,
                                       .name = "serial",
                                       .idea = "a loop on one core of the CPU",
                                       .source = "document 001"},
                                      {.number = 0,
                                       .name = "recursive",
                                       .idea = "interleaved pairs on the CPU, by recursion",
                                       .source = "document 001, recursiveReduce",
                                       .corrections = "any n, not only powers of two"}};

/// The launches that take one rung from n values to one.
class reduce_runner final : public rung_runner {
 public:
  reduce_runner(const rung& r, const reduce_problem& p, const host_values& in, machine& where,
                const reference& truth)
      : reduce_runner(r, p, in.type, where, truth,
                      {.n = in.n,
                       .block = p.block,
                       .processors = where.processors(),
                       .value_bytes = size_of(in.type)}) {}

  void launch(void* in) override { launch(in, type_, problem_.op); }

  measure::verdict judge() override {
    const std::vector<std::byte> bytes = fetch(result_, left_ * size_of(type_));
    scalar value = left_ == 1 ? load_scalar(type_, bytes.data())
                              : reduce_serial({type_, bytes.data(), left_}, problem_.op);
    if (problem_.op == operation::mean) value = mean_of(value, shape_.n);
    return truth_.judge(value, roundings_);
  }

  [[nodiscard]] double depth() const override { return depth_; }

 private:
  reduce_runner(const rung& r, const reduce_problem& p, value_type type, machine& where,
                const reference& truth, const shape& s)
      : rung_runner(r, where, s, r.partials(s) * s.value_bytes, 2),
        problem_(p),
        truth_(truth),
        type_(type) {
    if (p.depth) measure_depth();
  }

  void launch(void* in, value_type type, operation op) {
    shape s = shape_;
    s.value_bytes = size_of(type);
    void* out = outputs_[0].get();
    launches_ = 0;
    roundings_ = 0;
    for (;;) {
      launches_ += rung_.launch({.type = type,
                                 .op = op,
                                 .shape = s,
                                 .in = in,
                                 .out = out,
                                 .scratch = scratch_.get(),
                                 .stream = where_.stream()});
      const double threads = static_cast<double>(rung_.grid(s)) * s.block;
      roundings_ += std::ceil(static_cast<double>(s.n) / threads) + std::log2(s.block) + 1;
      left_ = rung_.partials(s);
      if (left_ == 1 && rung_.grid(s) > 1) {  // partials reduced by one block
        roundings_ +=
            std::ceil(static_cast<double>(rung_.grid(s)) / s.block) + std::log2(s.block) + 1;
      }
      result_ = out;
      if (left_ == 1 || problem_.finish == finish::host) break;
      s.n = left_;
      in = out;
      out = in == outputs_[0].get() ? outputs_[1].get() : outputs_[0].get();
    }
    if (left_ > 1) roundings_ += static_cast<double>(left_);
  }

  /// Measures the longest chain of applications that ends in the result.
  void measure_depth() {
    const device_memory zeros(where_, shape_.n * sizeof(std::int32_t));
    where_.fill(zeros.get(), 0, zeros.bytes());
    launch(zeros.get(), value_type::i32, operation::longest_chain);
    const auto bytes = fetch(result_, left_ * sizeof(std::int32_t));
    const auto* const chains = reinterpret_cast<const std::int32_t*>(bytes.data());
    // The host adds the partials that are left one after the other.
    depth_ = *std::max_element(chains, chains + left_) + static_cast<double>(left_ - 1);
  }

  const reduce_problem& problem_;
  const reference& truth_;
  value_type type_;
  void* result_ = nullptr;
  std::size_t left_ = 0;
  double roundings_ = 0;  // at most, from any value to the result
  double depth_ = 0;
};

}  // namespace

std::span<const description> reduce_rungs_of_host() { return host_rungs; }

std::vector<measure::measurement> run_reduce_ladder(const reduce_problem& p, machine& where,
                                                    std::span<const rung* const> rungs,
                                                    const report_progress& report) {
  const reference truth(p.values, p.op);
  const kernel_input in(p);
  const auto describe = [&](measure::measurement& m) {
    m.type = name_of(p.values.type);
    m.op = name_of(p.op);
    m.useful_bytes = p.values.n * size_of(p.values.type);
  };
  const auto run_on_host = [&](const description& about, measure::measurement& m) {
    const bool serial = about.name == host_rungs[0].name;
    scalar result{};
    m.timing = time_on_host([&] {
      result = serial ? reduce_serial(in.values(), p.op) : reduce_recursive(in.values(), p.op);
    });
    if (p.op == operation::mean) result = mean_of(result, p.values.n);
    const auto n = static_cast<double>(p.values.n);
    m.verdict = truth.judge(result, serial ? n : std::ceil(std::log2(n + 2)));
  };
  return run_rungs(
      {.ladder = ladder_kind::reduce,
       .n = p.values.n,
       .block = p.block,
       .samples = p.samples,
       .input = in.values().data,
       .input_bytes = in.bytes(),
       .finish = p.finish == finish::host ? "host" : "relaunch",
       .describe = describe,
       .on_host = host_rungs,
       .run_on_host = run_on_host,
       .obstacle = [&](const rung& r) { return obstacle_to(r, in.values().type, p.op); },
       .prepare =
           [&](const rung& r) {
             return std::make_unique<reduce_runner>(r, p, in.values(), where, truth);
           },
       .of_nothing = [&] { return truth.judge(identity_of(p.op, p.values.type), 0); }},
      where, rungs, report);
}

namespace reduce_ladder {
std::span<const rung_source> sources();
}

const ladder_entry& reduce_entry() {
  static const ladder_entry entry{
      .kind = ladder_kind::reduce,
      .rungs = reduce_rungs,
      .sources = reduce_ladder::sources,
      .instances_here = reduce_instances,
      .host = reduce_rungs_of_host,
      .run_once =
          [](std::span<const std::uint32_t> values, unsigned block, machine& where,
             std::span<const rung* const> rungs) {
            const host_values sums{value_type::i32, values.data(), values.size()};
            return run_reduce_ladder({.values = sums, .block = block, .depth = true}, where, rungs);
          },
      .to_one_value = true,
      .cost = cost_of_sum};
  return entry;
}

}  // namespace warpfold::ladder
