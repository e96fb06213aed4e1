// walk(): one launch of a rung on the CPU machine, recorded and checked.
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "ladder/machines/machine.hpp"
#include "ladder/reference/histogram.hpp"
#include "ladder/reference/scan.hpp"
#include "ladder/reference/select.hpp"
#include "ladder/reference/sort.hpp"
#include "ladder/run/driver.hpp"
#include "ladder/steps/model.hpp"
#include "ladder/steps/steps.hpp"
#include "simt/launch.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

constexpr unsigned most_threads = 1024;
constexpr unsigned processors = 132;

shape shape_of(const steps_problem& p, std::size_t n, unsigned block) {
  const std::size_t bytes = size_of(p.values.type) + (p.pairs ? sizeof(std::uint32_t) : 0);
  return {.n = n,
          .block = block,
          .processors = processors,
          .value_bytes = bytes,
          .most_blocks = 1,  // one block is shown: a grid that fills the machine has no other
          .bins = p.bins};
}

bool takes(const steps_problem& p, std::size_t n, unsigned block) {
  return one_block_takes(*p.which, shape_of(p, n, block));
}

std::size_t most_values(const steps_problem& p, unsigned block) {
  std::size_t most = 1;
  for (std::size_t step = std::size_t{1} << 20; step > 0; step /= 2) {
    if (takes(p, most + step, block)) most += step;
  }
  return most;
}

unsigned choose_block(const steps_problem& p) {
  const description& about = p.which->about;
  const std::string what = fmt::format("steps {}/{}", name_of(p.ladder), about.name);
  if (p.values.n == 0) throw usage_error(what + ": there are no values; give --values 3,1,2");
  if (p.op == operation::mean) {
    throw usage_error(what + ": no kernel computes a mean; use --op sum");
  }
  if (p.which->most_bins != nullptr) {
    const unsigned block = p.block != 0 ? p.block : about.least_block;
    const std::size_t most = p.which->most_bins(shape_of(p, p.values.n, block));
    if (p.bins > most) throw usage_error(fmt::format("{}: takes at most {} bins", what, most));
  }
  const auto too_many = [&](unsigned block) {
    return usage_error(fmt::format("{}: {} values are more than one block takes; give at most {}",
                                   what, p.values.n, most_values(p, block)));
  };
  if (p.block != 0) {
    if (!std::has_single_bit(p.block) || p.block < about.least_block || p.block > most_threads) {
      throw usage_error(fmt::format("{} --block {}: its block has {}, {}, {}, … or {} threads",
                                    what, p.block, about.least_block, 2 * about.least_block,
                                    4 * about.least_block, most_threads));
    }
    if (!takes(p, p.values.n, p.block)) throw too_many(p.block);
    return p.block;
  }
  for (unsigned block = about.least_block; block <= most_threads; block *= 2) {
    if (takes(p, p.values.n, block)) return block;
  }
  throw too_many(most_threads);
}

step_cells cells_from(const void* data, std::size_t n, std::size_t each) {
  step_cells cells(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const std::byte*>(data) + i * each, each);
    cells[i] = bits;
  }
  return cells;
}

/// One rung on the device, with the names of the memory it is given.
class observed_launch {
 public:
  explicit observed_launch(const steps_problem& p)
      : p_(p),
        shape_(shape_of(p, p.values.n, choose_block(p))),
        machine_(make_simt_machine()),
        in_(*machine_, bytes(p.values.n)),
        out_(*machine_, bytes(results())),
        kept_(*machine_, sizeof(std::uint64_t)),
        scratch_(*machine_, p.which->scratch_bytes(shape_)) {
    std::memcpy(in_.get(), p.values.data, p.values.n * size_of(p.values.type));
    if (p.pairs) {
      auto* const values = static_cast<std::uint32_t*>(values_of(in_.get()));
      std::iota(values, values + p.values.n, 0U);
    }
    machine_->fill(scratch_.get(), 0, scratch_.bytes());
    const bool sorts = p.ladder == ladder_kind::sort;
    const bool overwrites = sorts && p.which->about.in_place;
    name(sorts ? "keys" : "in", p.values.type, in_.get(), p.values.n, true);
    if (p.pairs) name("values", value_type::u32, values_of(in_.get()), p.values.n, true);
    result_ = overwrites ? 0 : names_.size();
    if (!overwrites) {
      name("out", result_type(), out_.get(), results(), false);
      if (p.pairs) name("out values", value_type::u32, values_of(out_.get()), p.values.n, false);
    }
    if (p.ladder == ladder_kind::select) name("kept", value_type::u64, kept_.get(), 1, false);
    name("scratch", p.values.type, scratch_.get(), scratch_.bytes() / size_of(p.values.type),
         false);
  }

  walkthrough run() {
    walkthrough walk{.ladder = p_.ladder,
                     .block = shape_.block,
                     .blocks = p_.which->grid(shape_),
                     .result = result_};
    for (const auto& n : names_) {
      // What a sector is depends on the address; where the allocation begins, no sector is cut.
      const std::size_t offset = n.begin % 256;
      walk.arrays.push_back({.name = n.name, .type = n.type, .offset = offset, .cells = {}});
      if (n.is_input) {
        walk.arrays.back().cells =
            cells_from(reinterpret_cast<const void*>(n.begin), p_.values.n, size_of(n.type));
      }
    }
    simt::observe watching({.watch = true});
    void* const out =
        p_.ladder == ladder_kind::sort && p_.which->about.in_place ? in_.get() : out_.get();
    walk.launches = p_.which->launch({.type = p_.values.type,
                                      .op = p_.op,
                                      .shape = shape_,
                                      .in = in_.get(),
                                      .out = out,
                                      .scratch = scratch_.get(),
                                      .stream = machine_->stream(),
                                      .exclusive = p_.exclusive,
                                      .values_in = p_.pairs ? values_of(in_.get()) : nullptr,
                                      .values_out = p_.pairs ? values_of(out) : nullptr,
                                      .descending = p_.descending,
                                      .kept = kept_.get()});
    const std::size_t values = p_.pairs ? sizeof(std::uint32_t) : 0;
    // What is in no bin shows as -1.
    const bool counts = p_.ladder == ladder_kind::histogram;
    add_steps(walk, watching.steps, names_, {counts ? value_type::i32 : p_.values.type, values});
    walk.verdict = judge(out);
    check_replay(walk, out);
    return walk;
  }

 private:
  [[nodiscard]] std::size_t results() const { return p_.which->partials(shape_); }
  [[nodiscard]] std::uint64_t kept() const {
    std::uint64_t count = 0;
    std::memcpy(&count, kept_.get(), sizeof count);
    return count;
  }
  [[nodiscard]] value_type result_type() const {
    return p_.ladder == ladder_kind::histogram ? value_type::u32 : p_.values.type;
  }
  [[nodiscard]] std::size_t bytes(std::size_t n) const { return n * shape_.value_bytes; }
  [[nodiscard]] void* values_of(void* keys) const {
    return static_cast<std::byte*>(keys) + p_.values.n * size_of(p_.values.type);
  }

  void name(std::string text, value_type type, const void* begin, std::size_t n, bool input) {
    names_.push_back(
        {std::move(text), type, reinterpret_cast<std::uintptr_t>(begin), n * size_of(type), input});
  }

  [[nodiscard]] measure::verdict judge(void* out) const {
    const auto roundings = static_cast<double>(p_.values.n);
    if (p_.ladder == ladder_kind::reduce) {
      return reference(p_.values, p_.op).judge(load_scalar(p_.values.type, out), roundings);
    }
    if (p_.ladder == ladder_kind::scan) {
      return scan_reference(p_.values, p_.op, p_.exclusive).judge(out, roundings);
    }
    if (p_.ladder == ladder_kind::histogram) {
      return histogram_reference(p_.values, p_.bins).judge(static_cast<const std::uint32_t*>(out));
    }
    if (p_.ladder == ladder_kind::select) {
      return select_reference(p_.values).judge(out, kept(), p_.which->any_order);
    }
    const auto* const values = static_cast<const std::uint32_t*>(values_of(out));
    return sort_reference(p_.values, p_.descending).judge(out, p_.pairs ? values : nullptr);
  }

  /// What the steps come to must be what is there.
  void check_replay(const walkthrough& walk, const void* out) const {
    step_cells shown = walk.arrays[walk.result].cells;
    for (const step& s : walk.steps) {
      for (const auto& [array, cells] : s.after) {
        if (array == walk.result) shown = cells;
      }
    }
    const std::size_t n = p_.ladder == ladder_kind::select ? kept() : results();
    if (shown == cells_from(out, n, size_of(result_type()))) return;
    throw error(fmt::format("steps {}/{}: the steps seen do not add up to the result",
                            name_of(p_.ladder), p_.which->about.name));
  }

  const steps_problem& p_;
  shape shape_;
  std::unique_ptr<machine> machine_;
  device_memory in_, out_, kept_, scratch_;
  std::vector<device_array_name> names_;
  std::size_t result_ = 0;
};

}  // namespace

bool takes_any_number(const rung& r) {
  const steps_problem p{.which = &r, .values = {.type = value_type::i32}};
  return takes(p, std::size_t{1} << 20, r.about.least_block);
}

walkthrough walk(const steps_problem& problem) { return observed_launch(problem).run(); }

}  // namespace warpfold::ladder
