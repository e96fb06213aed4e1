#include "ladder/run/select_driver.hpp"

#include <cstring>
#include <limits>

#include "ladder/ladder.hpp"
#include "ladder/reference/select.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

using kept_count = std::uint64_t;

std::size_t bytes_of(const host_values& values) { return values.n * size_of(values.type); }

/// Where the number of the kept values is in an output: after as many as there are, on its own.
std::size_t place_of_count(const host_values& values) {
  return (bytes_of(values) + sizeof(kept_count) - 1) / sizeof(kept_count) * sizeof(kept_count);
}

constexpr description host_rungs[] = {{.number = 0,
                                       .name = "serial",
                                       .idea = "a loop on one core of the CPU",
                                       .source = "beyond the documents"}};

class select_runner final : public rung_runner {
 public:
  select_runner(const rung& r, const select_problem& p, machine& where,
                const select_reference& truth)
      : rung_runner(r, where,
                    {.n = p.values.n,
                     .block = p.block,
                     .processors = where.processors(),
                     .value_bytes = size_of(p.values.type)},
                    place_of_count(p.values) + sizeof(kept_count)),
        type_(p.values.type),
        place_of_count_(place_of_count(p.values)),
        truth_(truth) {}

  void launch(void* in) override {
    auto* const out = static_cast<std::byte*>(outputs_[0].get());
    launches_ = rung_.launch({.type = type_,
                              .op = operation::sum,  // nothing is summed
                              .shape = shape_,
                              .in = in,
                              .out = out,
                              .scratch = scratch_.get(),
                              .stream = where_.stream(),
                              .kept = out + place_of_count_});
  }

  measure::verdict judge() override {
    const auto results = fetch(outputs_[0].get(), output_bytes());
    kept_count count = 0;
    std::memcpy(&count, results.data() + place_of_count_, sizeof count);
    return truth_.judge(results.data(), count, rung_.any_order);
  }

 private:
  value_type type_;
  std::size_t place_of_count_;
  const select_reference& truth_;
};

}  // namespace

std::span<const description> select_rungs_of_host() { return host_rungs; }

std::vector<measure::measurement> run_select_ladder(const select_problem& p, machine& where,
                                                    std::span<const rung* const> rungs,
                                                    const report_progress& report) {
  if (p.values.n > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("select: at most 2^32 - 1 values, since tiles count in u32");
  }
  const select_reference truth(p.values);
  std::vector<std::byte> kept(bytes_of(p.values));
  const std::size_t count = select_serial(p.values, kept.data());
  const auto describe = [&](measure::measurement& m) {
    m.type = name_of(p.values.type);
    m.op = "what is not 0";
    m.useful_bytes = (p.values.n + count) * size_of(p.values.type);
  };
  const auto run_on_host = [&](const description&, measure::measurement& m) {
    m.timing = time_on_host([&] { select_serial(p.values, kept.data()); });
    m.verdict = truth.judge(kept.data(), count, false);
  };
  return run_rungs(
      {.ladder = ladder_kind::select,
       .n = p.values.n,
       .block = p.block,
       .samples = p.samples,
       .input = p.values.data,
       .input_bytes = bytes_of(p.values),
       .describe = describe,
       .on_host = host_rungs,
       .run_on_host = run_on_host,
       .prepare =
           [&](const rung& r) { return std::make_unique<select_runner>(r, p, where, truth); },
       .of_nothing = [&] { return truth.judge(nullptr, 0, false); }},
      where, rungs, report);
}

namespace select_ladder {
std::span<const rung_source> sources();
}

const ladder_entry& select_entry() {
  static const ladder_entry entry{
      .kind = ladder_kind::select,
      .rungs = select_rungs,
      .sources = select_ladder::sources,
      .instances_here = select_instances,
      .host = select_rungs_of_host,
      .run_once = [](std::span<const std::uint32_t> values, unsigned block, machine& where,
                     std::span<const rung* const> rungs) {
        std::vector<std::uint32_t> half(values.begin(), values.end());
        for (auto& v : half) v %= 2;
        const host_values all{value_type::i32, half.data(), half.size()};
        return run_select_ladder({.values = all, .block = block}, where, rungs);
      }};
  return entry;
}

}  // namespace warpfold::ladder
