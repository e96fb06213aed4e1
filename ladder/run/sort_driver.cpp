#include "ladder/run/sort_driver.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "ladder/ladder.hpp"
#include "ladder/reference/sort.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

std::size_t key_bytes(const sort_problem& p) { return p.keys.n * size_of(p.keys.type); }
std::size_t bytes_each(const sort_problem& p) {
  return size_of(p.keys.type) + (p.pairs ? sizeof(std::uint32_t) : 0);
}

constexpr description host_rungs[] = {
    {.number = 0,
     .name = "serial",
     .idea = "the standard library's sort, keys alone",
     .source = "the C++ standard library"},
    {.number = 2,
     .name = "recursive-bitonic",
     .idea = "sort halves opposite ways, merge them, by recursion",
     .source = "document 002, recursive C program",
     .corrections = "any n, not only powers of two",
     .most_values = std::size_t{1} << 22}};

/// The keys, then their values: each key's index in the input.
std::vector<std::byte> input_of(const sort_problem& p) {
  std::vector<std::byte> bytes(p.keys.n * bytes_each(p));
  if (!bytes.empty()) std::memcpy(bytes.data(), p.keys.data, key_bytes(p));
  if (p.pairs) {
    auto* const values = reinterpret_cast<std::uint32_t*>(bytes.data() + key_bytes(p));
    std::iota(values, values + p.keys.n, 0U);
  }
  return bytes;
}

class sort_runner final : public rung_runner {
 public:
  sort_runner(const rung& r, const sort_problem& p, machine& where, const sort_reference& truth)
      : rung_runner(r, where,
                    {.n = p.keys.n,
                     .block = p.block,
                     .processors = where.processors(),
                     .value_bytes = bytes_each(p)},
                    p.keys.n * bytes_each(p)),
        problem_(p),
        truth_(truth) {}

  void launch(void* in) override {
    sorted_ = rung_.about.in_place ? in : outputs_[0].get();
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
    auto results = fetch(sorted_, output_bytes());
    return truth_.judge(results.data(),
                        static_cast<const std::uint32_t*>(values_of(results.data())));
  }

  [[nodiscard]] double depth() const override {
    return rung_.depth_limit != nullptr ? rung_.depth_limit(shape_) : 0;
  }

 private:
  void* values_of(void* keys) const {
    return problem_.pairs ? static_cast<std::byte*>(keys) + key_bytes(problem_) : nullptr;
  }

  const sort_problem& problem_;
  const sort_reference& truth_;
  void* sorted_ = nullptr;
};

}  // namespace

std::span<const description> sort_rungs_of_host() { return host_rungs; }

std::vector<measure::measurement> run_sort_ladder(const sort_problem& p, machine& where,
                                                  std::span<const rung* const> rungs,
                                                  const report_progress& report) {
  if (p.pairs && p.keys.n > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("--pairs: at most 2^32 - 1 of them, since the values are u32");
  }
  const sort_reference truth(p.keys, p.descending);
  const std::vector<std::byte> in = input_of(p);
  const auto describe = [&](measure::measurement& m) {
    m.type = name_of(p.keys.type);
    m.op = p.pairs ? "pairs" : "keys";
    m.form = p.descending ? "descending" : "ascending";
    m.useful_bytes = 2 * p.keys.n * bytes_each(p);
  };
  const auto run_on_host = [&](const description& about, measure::measurement& m) {
    const auto sort = about.name == host_rungs[0].name ? sort_serial : sort_recursive;
    std::vector<std::byte> sorted(key_bytes(p));
    m.timing = time_on_host([&] { sort(p.keys, p.descending, sorted.data()); });
    m.verdict = truth.judge(sorted.data(), nullptr);
  };
  return run_rungs(
      {.ladder = ladder_kind::sort,
       .n = p.keys.n,
       .block = p.block,
       .samples = p.samples,
       .input = in.data(),
       .input_bytes = in.size(),
       .describe = describe,
       .on_host = host_rungs,
       .run_on_host = run_on_host,
       .obstacle = [&](const rung& r) { return obstacle_to(r, p.keys.type, operation::sum); },
       .prepare = [&](const rung& r) { return std::make_unique<sort_runner>(r, p, where, truth); },
       .of_nothing = [&] { return truth.judge(nullptr, nullptr); }},
      where, rungs, report);
}

namespace sort_ladder {
std::span<const rung_source> sources();
}

const ladder_entry& sort_entry() {
  static const ladder_entry entry{
      .kind = ladder_kind::sort,
      .rungs = sort_rungs,
      .sources = sort_ladder::sources,
      .instances_here = sort_instances,
      .host = sort_rungs_of_host,
      .run_once = [](std::span<const std::uint32_t> values, unsigned block, machine& where,
                     std::span<const rung* const> rungs) {
        const host_values all{value_type::u32, values.data(), values.size()};
        return run_sort_ladder({.keys = all, .block = block}, where, rungs);
      }};
  return entry;
}

}  // namespace warpfold::ladder
