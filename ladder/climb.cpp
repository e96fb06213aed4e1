#include "ladder/climb.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

constexpr unsigned char poison = 0xA5;

/// Integer means are computed from sums of i64, which do not overflow: the kernels' input is
/// widened.
class kernel_input {
 public:
  explicit kernel_input(const problem& p) : values_(p.values) {
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

measure::measurement describe(const problem& p, const description& about) {
  measure::measurement m = row_of("reduce", about);
  m.n = p.values.n;
  m.type = name_of(p.values.type);
  m.op = name_of(p.op);
  m.useful_bytes = p.values.n * size_of(p.values.type);
  return m;
}

/// The launches that take one rung from n values to one.
class ascent final : public attempt {
 public:
  ascent(const rung& r, const problem& p, const kernel_input& in, machine& where,
         const reference& truth)
      : rung_(r),
        problem_(p),
        where_(where),
        truth_(truth),
        first_{.n = in.values().n,
               .block = p.block,
               .processors = where.processors(),
               .value_bytes = size_of(in.values().type)},
        type_(in.values().type),
        partials_(where, r.partials(first_) * first_.value_bytes),
        second_(where, r.partials(first_) * first_.value_bytes),
        scratch_(where, r.scratch_bytes(first_)) {
    where.fill(scratch_.get(), 0, scratch_.bytes());
  }

  void launch(void* in) override { launch(in, type_, problem_.op); }

  measure::verdict judge() override {
    where_.synchronize();
    std::vector<std::max_align_t> bytes(left_ * first_.value_bytes / sizeof(std::max_align_t) + 1);
    where_.read(bytes.data(), result_, left_ * first_.value_bytes);
    scalar value = left_ == 1 ? load_scalar(type_, bytes.data())
                              : reduce_serial({type_, bytes.data(), left_}, problem_.op);
    if (problem_.op == operation::mean) value = mean_of(value, first_.n);
    return truth_.judge(value, depth_);
  }

  void poison_outputs() override {
    where_.fill(partials_.get(), poison, partials_.bytes());
    where_.fill(second_.get(), poison, second_.bytes());
  }

  [[nodiscard]] std::size_t output_bytes() const override { return partials_.bytes(); }
  [[nodiscard]] unsigned launches() const override { return launches_; }

  /// The longest chain of applications on the way to the result.
  double measure_depth() {
    const device_memory zeros(where_, first_.n * sizeof(std::int32_t));
    where_.fill(zeros.get(), 0, zeros.bytes());
    launch(zeros.get(), value_type::i32, operation::longest_chain);
    where_.synchronize();
    std::vector<std::int32_t> chains(left_);
    where_.read(chains.data(), result_, left_ * sizeof(std::int32_t));
    // The host folds what is left one after the other.
    return *std::max_element(chains.begin(), chains.end()) + static_cast<double>(left_ - 1);
  }

 private:
  void launch(void* in, value_type type, operation op) {
    shape s = first_;
    s.value_bytes = size_of(type);
    void* out = partials_.get();
    launches_ = 0;
    depth_ = 0;
    for (;;) {
      launches_ += rung_.launch({.type = type,
                                 .op = op,
                                 .shape = s,
                                 .in = in,
                                 .out = out,
                                 .scratch = scratch_.get(),
                                 .stream = where_.stream()});
      const double threads = static_cast<double>(rung_.grid(s)) * s.block;
      depth_ += std::ceil(static_cast<double>(s.n) / threads) + std::log2(s.block) + 1;
      left_ = rung_.partials(s);
      if (left_ == 1 && rung_.grid(s) > 1) {  // partials folded by one block
        depth_ += std::ceil(static_cast<double>(rung_.grid(s)) / s.block) + std::log2(s.block) + 1;
      }
      result_ = out;
      if (left_ == 1 || problem_.finish == finish::host) break;
      s.n = left_;
      in = out;
      out = in == partials_.get() ? second_.get() : partials_.get();
    }
    if (left_ > 1) depth_ += static_cast<double>(left_);
  }

  const rung& rung_;
  const problem& problem_;
  machine& where_;
  const reference& truth_;
  shape first_;
  value_type type_;
  device_memory partials_, second_, scratch_;
  void* result_ = nullptr;
  std::size_t left_ = 0;
  unsigned launches_ = 0;
  double depth_ = 0;
};

measure::measurement on_host(const problem& p, const reference& truth, const description& about,
                             scalar (*reduce)(const host_values&, operation), double depth) {
  measure::measurement m = describe(p, about);
  m.backend = "host";
  m.device = "one CPU core";
  const kernel_input in(p);
  scalar result{};
  m.timing = time_on_host([&] { result = reduce(in.values(), p.op); });
  if (p.op == operation::mean) result = mean_of(result, p.values.n);
  m.verdict = truth.judge(result, depth);
  return m;
}

}  // namespace

std::vector<measure::measurement> climb_on_host(const problem& p, const reference& truth) {
  static constexpr description serial{.number = 0,
                                      .name = "serial",
                                      .idea = "a loop on one core of the CPU",
                                      .mends = "",
                                      .watch = "",
                                      .source = "document 001",
                                      .changed = ""};
  static constexpr description recursive{.number = 0,
                                         .name = "recursive",
                                         .idea = "interleaved pairs on the CPU, by recursion",
                                         .mends = "",
                                         .watch = "",
                                         .source = "document 001, recursiveReduce",
                                         .changed = "any n, not only powers of two"};
  const auto n = static_cast<double>(p.values.n);
  return {on_host(p, truth, serial, reduce_serial, n),
          on_host(p, truth, recursive, reduce_recursive, std::ceil(std::log2(n + 2)))};
}

std::vector<measure::measurement> climb(const problem& p, machine& where,
                                        std::span<const rung* const> rungs,
                                        const report_progress& report) {
  check_block(p.block);
  const reference truth(p.values, p.op);
  std::vector<measure::measurement> rows = climb_on_host(p, truth);
  const kernel_input in(p);
  rotating_input inputs(in.values().data, in.bytes(), where);
  const auto begin = [&](const description& about) {
    measure::measurement m = describe(p, about);
    m.block = p.block;
    m.finish = p.finish == finish::host ? "host" : "relaunch";
    return m;
  };
  const auto run = [&](const rung& r, measure::measurement& m) {
    if (p.values.n == 0) {
      m.verdict = truth.judge(identity_of(p.op, p.values.type), 0);  // nothing to launch
    } else {
      ascent up(r, p, in, where, truth);
      if (p.depth)
        m.counters.push_back({std::string(measure::counters::depth), up.measure_depth()});
      measure_attempt(up, r, inputs, where, p.samples, m);
    }
  };
  climb_rungs(rungs, where, report, begin, run, rows);
  return rows;
}

}  // namespace warpfold::ladder
