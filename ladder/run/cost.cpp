// The cost of sums as document 004 defines it: processors times time, here threads times depth.
#include <cmath>

#include <fmt/format.h>

#include "ladder/run/scaling.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

const rung& named(const machine& where, std::string_view name) {
  for (const rung* r : reduce_rungs(where.backend())) {
    if (r->about.name == name) return *r;
  }
  throw error(fmt::format("cost_of_sum: the reduce ladder has no rung {}", name));
}

/// The longest chain of additions when the rung sums the values of `s`.
double depth_of(machine& where, const rung& r, shape s) {
  const device_memory in(where, s.n * sizeof(std::int32_t));
  const device_memory out(where, r.partials(s) * sizeof(std::int32_t));
  const device_memory scratch(where, r.scratch_bytes(s));
  where.fill(in.get(), 0, in.bytes());
  where.fill(scratch.get(), 0, scratch.bytes());
  void* from = in.get();
  void* to = out.get();
  for (;;) {
    r.launch({.type = value_type::i32,
              .op = operation::longest_chain,
              .shape = s,
              .in = from,
              .out = to,
              .scratch = scratch.get(),
              .stream = where.stream()});
    s.n = r.partials(s);
    if (s.n == 1) break;
    std::swap(from, to);
  }
  std::int32_t chain = 0;
  where.read(&chain, to, sizeof chain);
  return chain;
}

}  // namespace

std::vector<cost_row> cost_of_sum(std::size_t n, unsigned block) {
  check_block(block);
  const auto machine = make_simt_machine();
  const auto values = static_cast<double>(n);
  const double log = std::log2(values);
  std::vector<cost_row> rows{{"a loop", 1, values - 1, values - 1}};
  const rung& tree = named(*machine, "sequential");
  shape s{.n = n, .block = block, .processors = 1, .value_bytes = 4};
  rows.push_back({"one thread a value", static_cast<double>(tree.grid(s)) * block,
                  depth_of(*machine, tree, s), log});
  const rung& cascade = named(*machine, "cascade");
  // From two values a thread down to one processor; the one nearest to n / log2 n is Brent's.
  s.processors = 1;
  const double each = static_cast<double>(cascade.grid(s)) * block;
  const auto brent = static_cast<unsigned>(std::lround(values / log / each));
  std::vector<unsigned> counts;
  for (auto p = static_cast<unsigned>(values / 2 / each); p >= 1; p /= 4) {
    if (brent > p && (counts.empty() || brent < counts.back())) counts.push_back(brent);
    counts.push_back(p);
  }
  for (const unsigned processors : counts) {
    s.processors = processors;
    const double threads = static_cast<double>(cascade.grid(s)) * block;
    rows.push_back({processors == brent ? "n / log2 n threads (Brent)"
                                        : fmt::format("{:.0f} values a thread", values / threads),
                    threads, depth_of(*machine, cascade, s),
                    values / threads + std::log2(threads)});
  }
  return rows;
}

}  // namespace warpfold::ladder
