#include "files/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "files/host_engine.hpp"
#include "warpfold/host/histogram.hpp"

namespace warpfold::files {
namespace {

/// The smallest and the greatest value.
template <class T>
struct extremes_of {
  using value = T;
  using partial = min_max<T>;

  static partial join(const partial& a, const partial& b) {
    return {minimum{}(a.min, b.min), maximum{}(a.max, b.max)};
  }
};
template <class T>
min_max<T> partial_of(extremes_of<T>, std::span<const T> values, std::uint64_t /*first*/) {
  return minmax(reductions::this_thread, values);
}

struct bin_set {
  std::size_t count;
  /// Leaves the bin of each of some values, `count` for those in none.
  std::function<void(std::span<const std::byte> values, unsigned* bins)> find;
  std::function<number(std::size_t)> edge;
};

template <class T, class Bins>
auto finder_of(const std::string& option, const Bins& bins) {
  return [bin_of = host_detail::binner_of_bins<T>(option.c_str(), bins),
          none = static_cast<unsigned>(detail::bin_count(bins))](std::span<const std::byte> values,
                                                                 unsigned* to) {
    const auto* const first = reinterpret_cast<const T*>(values.data());
    for (std::size_t i = 0; i < values.size() / sizeof(T); ++i) {
      to[i] = std::min(bin_of(first[i]), none);
    }
  };
}

template <class T, class Edge>
bin_set even_set(const std::string& option, Edge low, Edge high, std::size_t count) {
  const auto edge = [=](std::size_t k) -> number {
    if (k == 0) return as_number(low);
    if (k == count) return as_number(high);
    const auto from = static_cast<double>(low), to = static_cast<double>(high);
    return from + (to - from) * (static_cast<double>(k) / static_cast<double>(count));
  };
  return {count, finder_of<T>(option, even_bins<Edge>{low, high, count}), edge};
}

/// Edges that are integers count integers exactly.
template <class T>
bin_set given_range(const std::pair<number, number>& range, std::size_t count) {
  const std::string option =
      fmt::format("--range {}:{}, --bins {}", text_of(range.first), text_of(range.second), count);
  return std::visit(
      [&](auto low, auto high) {
        if constexpr (std::is_integral_v<T> && std::is_integral_v<decltype(low)> &&
                      std::is_same_v<decltype(low), decltype(high)>) {
          return even_set<T>(option, low, high, count);
        }
        return even_set<T>(option, static_cast<double>(low), static_cast<double>(high), count);
      },
      range.first, range.second);
}

/// As NumPy has it: no values lie between 0 and 1, and values that are all the same in the middle.
template <class T>
bin_set found_range(data::number_input& in, std::size_t count, const run_options& o) {
  std::uint64_t bytes = 0;
  const auto ends = reductions::host_engine::reduce<extremes_of<T>>(in, o, bytes);
  if (!ends) return even_set<T>("--bins", 0.0, 1.0, count);
  const auto low = static_cast<double>(ends->min), high = static_cast<double>(ends->max);
  if (!std::isfinite(low) || !std::isfinite(high)) {
    throw data_error(fmt::format("{}: its values lie between {} and {}; give --range LOW:HIGH",
                                 in.name(), text_of(as_number(ends->min)),
                                 text_of(as_number(ends->max))));
  }
  const std::string option = fmt::format("--bins {}", count);
  if (ends->min == ends->max) return even_set<T>(option, low - 0.5, high + 0.5, count);
  return even_set<T>(option, wide<T>{ends->min}, wide<T>{ends->max}, count);
}

template <class T>
bin_set given_bounds(data::number_input& in, const run_options& o) {
  if (!in.bytes()) throw usage_error(in.name() + ": bounds are in a file; write them to one first");
  const std::size_t count = *in.bytes() / sizeof(T);
  if (count > most_bins + 1) {
    throw usage_error(
        fmt::format("{}: holds {} bounds; a histogram has 2^24 bins at most", in.name(), count));
  }
  const auto bounds = std::make_shared<std::vector<T>>(count);
  read_slices(in, 0, std::as_writable_bytes(std::span(*bounds)), o.stop);
  return {bounds->empty() ? 0 : count - 1,
          [bounds, find = finder_of<T>("--bounds " + in.name(), std::span<const T>(*bounds))](
              std::span<const std::byte> values, unsigned* to) { find(values, to); },
          [bounds](std::size_t k) { return as_number((*bounds)[k]); }};
}

bin_set bins_of(const histogram_request& r, const run_options& o) {
  return visit_type(r.values.type(), [&]<class T>(std::type_identity<T>) {
    if (r.bounds != nullptr) return given_bounds<T>(*r.bounds, o);
    if (r.range) return given_range<T>(*r.range, r.bins);
    return found_range<T>(r.values, r.bins, o);
  });
}

/// Counts of bins, in columns that the values take in turns.
struct counting {
  using entry = std::uint64_t;
  using sum = std::uint64_t;

  static std::size_t copies(std::size_t bins) { return bins <= 4096 ? 4 : 1; }
  static void add(std::vector<entry>& table, std::size_t bins, std::span<const unsigned> bin,
                  const std::byte* /*weights*/) {
    host_detail::count_part(
        0, bin.size(), bins, [&](std::size_t i) { return bin[i]; }, table.data(), copies(bins));
  }
  static void merge(entry& a, const entry& b) { a += b; }
  static sum value(const entry& e) { return e; }
};

/// Sums of weights of W.
template <class W>
struct weighing {
  using sum = std::conditional_t<std::is_floating_point_v<W>, W, wide<W>>;
  using adder = host_detail::bin_sum<sum>;
  using entry = typename adder::type;

  static std::size_t copies(std::size_t /*bins*/) { return 1; }
  static void add(std::vector<entry>& table, std::size_t /*bins*/, std::span<const unsigned> bin,
                  const std::byte* weights) {
    const auto* const weight = reinterpret_cast<const W*>(weights);
    for (std::size_t i = 0; i < bin.size(); ++i) adder::add(table[bin[i]], sum{weight[i]});
  }
  static void merge(entry& a, const entry& b) { adder::merge(a, b); }
  static sum value(const entry& e) { return adder::value(e); }
};

/// A table of each slot, then one of all.
template <class How>
histogram_of_file fill(const histogram_request& r, const bin_set& bins, const run_options& o) {
  using entry = typename How::entry;
  using sum = typename How::sum;
  const std::size_t value_bytes = size_of(r.values.type()),
                    weight_bytes = r.weights != nullptr ? size_of(r.weights->type()) : 0,
                    entries = How::copies(bins.count) * (bins.count + 1),
                    slot_bytes = host_chunk_bytes + entries * sizeof(entry) +
                                 host_chunk_bytes / value_bytes * weight_bytes;
  if (slot_bytes > o.memory) {
    throw usage_error(fmt::format("{} bins take {} bytes; give more --memory, {}MiB or so",
                                  bins.count, slot_bytes, (slot_bytes >> 20) + 1));
  }
  pipeline line({.chunk_bytes = host_chunk_bytes,
                 .slots = slots_for(o, r.values, host_chunk_bytes, slot_bytes),
                 .stop = o.stop});
  struct slot {
    std::vector<entry> table;
    std::vector<std::byte> weights;
  };
  std::vector<slot> mine(line.slots());
  for (auto& m : mine) m.table.resize(entries);
  const auto count_chunk = [&](const pipeline::chunk& c) {
    auto& [table, weights] = mine[c.slot];
    const std::size_t n = c.bytes.size() / value_bytes;
    if (r.weights != nullptr) {
      weights.resize(n * weight_bytes);
      read_slices(*r.weights, c.offset / value_bytes * weight_bytes, weights, o.stop);
    }
    constexpr std::size_t block = host_detail::binned_at_once;
    unsigned bin[block];
    for (std::size_t i = 0; i < n; i += block) {
      const std::size_t now = std::min(block, n - i);
      bins.find(c.bytes.subspan(i * value_bytes, now * value_bytes), bin);
      How::add(table, bins.count, {bin, now}, weights.data() + i * weight_bytes);
    }
  };
  const auto done = run_watched(
      o, "counting", line,
      {.read = reader_of(r.values, o), .read_in_order = r.values.in_order(), .work = count_chunk},
      r.values.bytes());
  auto& all = mine[0].table;
  for (std::size_t s = 1; s < mine.size(); ++s) {
    for (std::size_t k = 0; k < entries; ++k) How::merge(all[k], mine[s].table[k]);
  }
  histogram_of_file result{.type = data::type_of<sum>(),
                           .bins = std::vector<std::byte>(bins.count * sizeof(sum)),
                           .bin_count = bins.count,
                           .value_count = done.bytes / value_bytes,
                           .edge = bins.edge};
  for (std::size_t k = 0; k < bins.count; ++k) {
    for (std::size_t c = 1; c < How::copies(bins.count); ++c) {
      How::merge(all[k], all[c * (bins.count + 1) + k]);
    }
    const sum value = How::value(all[k]);
    std::memcpy(result.bins.data() + k * sizeof value, &value, sizeof value);
  }
  return result;
}

void check(const histogram_request& r) {
  if (r.weights != nullptr) {
    for (const auto* in : {&r.values, r.weights}) {
      if (in->in_order()) {
        throw usage_error(in->name() +
                          ": is a stream; weights need files, so write it to one first");
      }
    }
    const std::uint64_t values = *r.values.bytes() / size_of(r.values.type()),
                        weights = *r.weights->bytes() / size_of(r.weights->type());
    if (values != weights) {
      throw usage_error(fmt::format("{} holds {} values and {} {} weights; give one for each value",
                                    r.values.name(), values, r.weights->name(), weights));
    }
  }
  if (r.values.in_order() && !r.range && r.bounds == nullptr) {
    throw usage_error(r.values.name() +
                      ": is a stream, which is read once; give --range or --bounds");
  }
}

}  // namespace

number histogram_of_file::value(std::size_t bin) const {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    T v;
    std::memcpy(&v, bins.data() + bin * sizeof v, sizeof v);
    return as_number(v);
  });
}

histogram_of_file histogram_all(const histogram_request& request, const run_options& o) {
  check_memory(o);
  check(request);
  const bin_set bins = bins_of(request, o);
  if (request.weights == nullptr) return fill<counting>(request, bins, o);
  return visit_type(request.weights->type(), [&]<class W>(std::type_identity<W>) {
    return fill<weighing<W>>(request, bins, o);
  });
}

}  // namespace warpfold::files
