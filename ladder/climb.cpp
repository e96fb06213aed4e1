#include "ladder/climb.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

constexpr unsigned char poison = 0xA5;

void check(const problem& p) {
  if (!std::has_single_bit(p.block) || p.block < 32 || p.block > 1024) {
    throw usage_error(
        fmt::format("--block {}: a block has 32, 64, 128, 256, 512 or 1024 threads here", p.block));
  }
}

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
  measure::measurement m;
  m.ladder = "reduce";
  m.number = about.number;
  m.name = about.name;
  m.idea = about.idea;
  m.source = about.source;
  m.n = p.values.n;
  m.type = name_of(p.values.type);
  m.op = name_of(p.op);
  m.useful_bytes = p.values.n * size_of(p.values.type);
  if (about.published.g80_gbs > 0)
    m.published.push_back({"G80, 2^22 i32", about.published.g80_gbs});
  if (about.published.k40m_gbs > 0) {
    m.published.push_back({"Tesla K40m, 2^26 i32", about.published.k40m_gbs});
  }
  return m;
}

/// The launches that take one rung from n values to one.
class ascent {
 public:
  ascent(const rung& r, const problem& p, const kernel_input& in, machine& where)
      : rung_(r),
        problem_(p),
        where_(where),
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

  /// Puts all launches into the stream. `in` is the device copy of the input.
  void launch(void* in) {
    shape s = first_;
    void* out = partials_.get();
    launches_ = 0;
    depth_ = 0;
    for (;;) {
      rung_.launch({.type = type_,
                    .op = problem_.op,
                    .shape = s,
                    .in = in,
                    .out = out,
                    .scratch = scratch_.get(),
                    .stream = where_.stream()});
      ++launches_;
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

  /// What the last launches came to.
  [[nodiscard]] scalar result() {
    where_.synchronize();
    std::vector<std::max_align_t> bytes(left_ * first_.value_bytes / sizeof(std::max_align_t) + 1);
    where_.read(bytes.data(), result_, left_ * first_.value_bytes);
    scalar value = left_ == 1 ? load_scalar(type_, bytes.data())
                              : reduce_serial({type_, bytes.data(), left_}, problem_.op);
    return problem_.op == operation::mean ? mean_of(value, first_.n) : value;
  }

  /// Makes an old result impossible to take for a new one.
  void poison_outputs() {
    where_.fill(partials_.get(), poison, partials_.bytes());
    where_.fill(second_.get(), poison, second_.bytes());
  }

  [[nodiscard]] unsigned launches() const { return launches_; }
  [[nodiscard]] double depth() const { return depth_; }

 private:
  const rung& rung_;
  const problem& problem_;
  machine& where_;
  shape first_;
  value_type type_;
  device_memory partials_, second_, scratch_;
  void* result_ = nullptr;
  std::size_t left_ = 0;
  unsigned launches_ = 0;
  double depth_ = 0;
};

/// Copies of the input on the device: enough that none is in the cache when its turn comes.
class rotating_input {
 public:
  rotating_input(const kernel_input& in, machine& where) : where_(where), bytes_(in.bytes()) {
    const std::size_t wanted = std::max<std::size_t>(1, bytes_);
    const std::size_t copies =
        where.keeps_time() ? std::clamp<std::size_t>(3 * where.cache_bytes() / wanted + 1, 2, 64)
                           : 1;
    original_.emplace_back(where, bytes_);
    where.write(original_[0].get(), in.values().data, bytes_);
    for (std::size_t i = 0; i < copies; ++i) {
      copies_.emplace_back(where, bytes_);
      where.copy(copies_[i].get(), original_[0].get(), bytes_);
    }
  }

  /// A fresh copy of the input. An in-place rung spoils it: then all are made anew in time.
  void* next(bool will_be_spoilt) {
    if (turn_ == copies_.size()) {
      turn_ = 0;
      if (spoilt_) {
        for (auto& c : copies_) where_.copy(c.get(), original_[0].get(), bytes_);
        spoilt_ = false;
      }
    }
    spoilt_ |= will_be_spoilt;
    return copies_[turn_++].get();
  }
  /// Before another rung: everything as it was.
  void restart() { turn_ = copies_.size(); }

 private:
  machine& where_;
  std::size_t bytes_;
  std::vector<device_memory> original_, copies_;
  std::size_t turn_ = 0;
  bool spoilt_ = false;
};

/// The worse of two verdicts.
void keep_worst(measure::verdict& worst, const measure::verdict& v, bool first) {
  if (first || (worst.right && (!v.right || v.error > worst.error))) worst = v;
}

void run(const rung& r, const problem& p, const kernel_input& in, rotating_input& inputs,
         machine& where, const reference& truth, measure::measurement& m) {
  ascent up(r, p, in, where);
  inputs.restart();
  up.poison_outputs();
  void* const data = inputs.next(r.about.in_place);
  m.counters = where.count([&] { up.launch(data); });  // also the warm-up
  keep_worst(m.verdict, truth.judge(up.result(), up.depth()), true);
  m.launches = up.launches();
  if (!where.keeps_time() || p.samples == 0) return;
  m.timing.emplace();
  for (unsigned i = 0; i < p.samples; ++i) {
    up.poison_outputs();
    void* const fresh = inputs.next(r.about.in_place);
    where.synchronize();
    m.timing->samples_us.push_back(where.time_us([&] { up.launch(fresh); }));
    keep_worst(m.verdict, truth.judge(up.result(), up.depth()), false);
  }
}

measure::measurement on_host(const problem& p, const reference& truth, const description& about,
                             scalar (*reduce)(const host_values&, operation), double depth) {
  measure::measurement m = describe(p, about);
  m.backend = "host";
  m.device = "one CPU core";
  const kernel_input in(p);
  m.timing.emplace();
  scalar result{};
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    result = reduce(in.values(), p.op);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    m.timing->samples_us.push_back(took.count());
  }
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
  check(p);
  const reference truth(p.values, p.op);
  std::vector<measure::measurement> rows = climb_on_host(p, truth);
  const kernel_input in(p);
  rotating_input inputs(in, where);
  const double ceiling = where.keeps_time() ? where.read_ceiling_gbs() : 0;
  std::size_t index = 0;
  for (const rung* r : rungs) {
    if (report) {
      report(fmt::format("{:02} {}", r->about.number, r->about.name), ++index, rungs.size());
    }
    measure::measurement m = describe(p, r->about);
    m.backend = where.backend();
    m.device = where.device();
    m.block = p.block;
    m.finish = p.finish == finish::host ? "host" : "relaunch";
    m.read_ceiling_gbs = ceiling;
    if (where.capability() < r->about.capability) {
      m.skipped = fmt::format("needs {}.{}", r->about.capability / 10, r->about.capability % 10);
    } else if (p.values.n == 0) {
      m.verdict = truth.judge(identity_of(p.op, p.values.type), 0);  // nothing to launch
    } else {
      run(*r, p, in, inputs, where, truth, m);
    }
    rows.push_back(std::move(m));
  }
  return rows;
}

}  // namespace warpfold::ladder
