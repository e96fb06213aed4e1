#include "cli/judge/cases.hpp"

#include <algorithm>

#include "cli/judge/results.hpp"
#include "ladder/rung.hpp"

namespace warpfold::cli::judge {

namespace {

using ladder::ladder_kind;

std::size_t result_bytes(ladder_kind kind, std::string_view type) {
  if (kind == ladder_kind::histogram) return sizeof(std::uint32_t);
  return with_type(type, [](auto zero) { return sizeof zero; });
}

std::size_t results_of(ladder_kind kind, const trial& t) {
  if (kind == ladder_kind::histogram) return t.bins;
  return kind == ladder_kind::reduce ? 1 : t.n;
}

}  // namespace

std::size_t counted_size(ladder_kind kind) {
  return std::size_t{1} << (kind == ladder_kind::sort ? 16 : 20);
}

unsigned usual_bins(ladder_kind kind) {
  return kind == ladder_kind::histogram ? ladder::default_bins : 0;
}

trials::trials(ladder_kind kind, const std::vector<offer>& offers, std::uint64_t seed)
    : kind_(kind), seed_(seed) {
  const std::size_t large = kind == ladder_kind::sort ? 8192 : 65536;
  constexpr std::uint64_t orders = 8;
  const std::size_t between = 1026 + seed % (large - 1100);
  const offer& first = offers.front();
  const bool counts = kind == ladder_kind::histogram;
  std::vector<unsigned> further_bins;
  if (counts) further_bins = {1, 10, 256};
  for (const std::size_t n : {0, 1, 31, 32, 33, 1000, 1025}) add({.of = first, .n = n});
  for (std::uint64_t o = 1; o <= orders; ++o) add({.of = first, .n = 1025, .order = o});
  for (const input_kind k : further_inputs(kind)) {
    for (const std::size_t n : {33, 1025}) add({.of = first, .n = n, .input = k});
  }
  for (const unsigned bins : further_bins) add({.of = first, .n = 1025, .bins = bins});
  for (std::size_t i = 1; i < offers.size(); ++i) {
    for (const std::size_t n : {0, 1, 33, 1000}) add({.of = offers[i], .n = n});
    for (const input_kind k : further_inputs(kind)) add({.of = offers[i], .n = 1000, .input = k});
    if (counts) add({.of = offers[i], .n = 1000, .bins = 256});
  }
  add({.of = first, .n = between});
  for (const std::size_t n : {large - 1, large, large + 1}) add({.of = first, .n = n});
  for (const input_kind k : further_inputs(kind)) {
    add({.of = first, .n = large + 1, .mode = mode::run, .input = k});
  }
  for (const unsigned bins : further_bins) {
    add({.of = first, .n = large + 1, .mode = mode::run, .bins = bins});
  }
  for (std::size_t i = 1; i < offers.size(); ++i) {
    add({.of = offers[i], .n = large + 1, .mode = mode::run});
  }
  const std::size_t most = counted_size(kind);
  if (most > large) add({.of = first, .n = most, .mode = mode::run});
  add({.of = first, .n = most + 1, .mode = mode::run});
  if (counts) {
    add({.of = first, .n = most + 1, .mode = mode::run, .input = input_kind::one_value});
  }
  add({.of = first, .n = most, .mode = mode::count});
}

void trials::add(trial t) {
  constexpr std::size_t alignment = 64;
  if (t.bins == 0) t.bins = usual_bins(kind_);
  t.results = results_of(kind_, t);
  t.out_bytes = t.results * result_bytes(kind_, t.of.type);
  t.out_at = output_bytes_;
  output_bytes_ += (t.kept_at() + sizeof(std::uint64_t) + alignment) / alignment * alignment;
  const auto same = std::find_if(all_.begin(), all_.end(), [&](const trial& other) {
    return other.n == t.n && other.of.type == t.of.type && other.input == t.input &&
           other.bins == t.bins;
  });
  if (same != all_.end()) {
    t.in_at = same->in_at;
  } else {
    t.in_at = inputs_.size();
    const auto values = input_of(
        kind_, {.type = t.of.type, .n = t.n, .kind = t.input, .bins = t.bins}, seed_ + t.n);
    inputs_.insert(inputs_.end(), values.begin(), values.end());
    inputs_.resize((inputs_.size() + alignment) / alignment * alignment);
  }
  all_.push_back(std::move(t));
}

std::optional<difference> trials::judge(const trial& t, const std::byte* outputs) const {
  return first_difference(kind_, t, inputs_.data() + t.in_at, outputs + t.out_at);
}

std::size_t trials::useful_bytes(const trial& t) const {
  return useful_bytes_of(kind_, t, inputs_.data() + t.in_at);
}

}  // namespace warpfold::cli::judge
