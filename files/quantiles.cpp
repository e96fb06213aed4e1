#include "files/quantiles.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>

#include "warpfold/error.hpp"
#include "warpfold/host/quantiles.hpp"
#include "warpfold/order.hpp"

namespace warpfold::files {
namespace {

/// Values whose upper bits are equal.
struct bit_group {
  std::uint64_t bits;   // those
  std::uint64_t below;  // how many of all values are less
  std::uint64_t count;

  [[nodiscard]] bool has(std::uint64_t index) const {
    return index >= below && index - below < count;
  }
};

template <class T>
class order_statistics_of_file {
 public:
  order_statistics_of_file(data::number_input& in, const run_options& o) : in_(in), o_(o) {}

  /// The values at these indices of the sorted order, which ascend.
  std::vector<T> find(std::span<const std::uint64_t> indices) {
    groups_ = {{0, 0, *in_.bytes() / sizeof(T)}};
    while (unknown_ > 0) {
      if (held() <= o_.memory / 4 / sizeof(T)) return find_among(gather(), indices);
      narrow(indices);
    }
    std::vector<T> found;
    for (const std::uint64_t i : indices) {
      found.push_back(key_of<T>(static_cast<detail::rank_type<T>>(group_of(i)->bits)));
    }
    return found;
  }

 private:
  using group_iterator = std::vector<bit_group>::const_iterator;
  static constexpr unsigned digit_bits = std::min<unsigned>(16, 8 * sizeof(T));
  static constexpr std::size_t digits = std::size_t{1} << digit_bits;

  [[nodiscard]] std::uint64_t held() const {
    std::uint64_t all = 0;
    for (const bit_group& g : groups_) all += g.count;
    return all;
  }
  [[nodiscard]] group_iterator group_of(std::uint64_t index) const {
    return std::find_if(groups_.begin(), groups_.end(),
                        [=](const bit_group& g) { return g.has(index); });
  }
  [[nodiscard]] std::uint64_t known_bits(T value) const {
    return unknown_ == 64 ? 0 : std::uint64_t{rank_of(value)} >> unknown_;
  }

  /// visit(slot, values) for the values of each chunk; `slot_bytes` beside the chunk. `begin` is
  /// called with the number of slots.
  template <class Begin, class Visit>
  void pass(const char* what, std::size_t slot_bytes, const Begin& begin, const Visit& visit) {
    pipeline line({.chunk_bytes = host_chunk_bytes,
                   .slots = slots_for(o_, in_, host_chunk_bytes, host_chunk_bytes + slot_bytes),
                   .stop = o_.stop});
    begin(line.slots());
    run_watched(o_, what, line,
                {.read = reader_of(in_, o_),
                 .work = [&](const pipeline::chunk& c) { visit(c.slot, values_in<T>(c)); }},
                in_.bytes());
  }

  /// f(place of the group, value) for the values of these groups.
  template <class F>
  void for_each_held(std::span<const bit_group> groups, std::span<const T> values,
                     const F& f) const {
    const auto less = [](const bit_group& g, std::uint64_t bits) { return g.bits < bits; };
    for (const T value : values) {
      const std::uint64_t bits = known_bits(value);
      const auto g = std::lower_bound(groups.begin(), groups.end(), bits, less);
      if (g != groups.end() && g->bits == bits) {
        f(static_cast<std::size_t>(g - groups.begin()), value);
      }
    }
  }

  /// One more digit of all wanted values: a pass for as many groups as have room for their counts.
  void narrow(std::span<const std::uint64_t> indices) {
    const std::size_t most = o_.memory / 2 / (digits * sizeof(std::uint64_t));
    std::vector<bit_group> narrower;
    for (std::size_t at = 0; at < groups_.size(); at += most) {
      const auto some = std::span(groups_).subspan(at, std::min(most, groups_.size() - at));
      const auto counts = count(some);
      for (std::size_t g = 0; g < some.size(); ++g) {
        pick(some[g], std::span(counts).subspan(g * digits, digits), indices, narrower);
      }
    }
    groups_ = std::move(narrower);
    unknown_ -= digit_bits;
  }

  /// For each group, how many values there are of each digit.
  std::vector<std::uint64_t> count(std::span<const bit_group> groups) {
    const unsigned low = unknown_ - digit_bits;
    std::vector<std::vector<std::uint64_t>> mine;
    pass(
        "counting", groups.size() * digits * sizeof(std::uint64_t),
        [&](unsigned slots) {
          mine.assign(slots, std::vector<std::uint64_t>(groups.size() * digits));
        },
        [&](unsigned slot, std::span<const T> values) {
          auto& counts = mine[slot];
          for_each_held(groups, values, [&](std::size_t g, T value) {
            ++counts[g * digits + (std::uint64_t{rank_of(value)} >> low) % digits];
          });
        });
    for (std::size_t s = 1; s < mine.size(); ++s) {
      for (std::size_t k = 0; k < mine[0].size(); ++k) mine[0][k] += mine[s][k];
    }
    return std::move(mine[0]);
  }

  /// The digits of a group that have a wanted index, as groups of their own.
  void pick(const bit_group& group, std::span<const std::uint64_t> counts,
            std::span<const std::uint64_t> indices, std::vector<bit_group>& narrower) const {
    require_unchanged(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), group.count);
    bit_group part{group.bits * digits, group.below, 0};
    auto wanted = std::lower_bound(indices.begin(), indices.end(), group.below);
    for (const std::uint64_t c : counts) {
      part.count = c;
      if (wanted != indices.end() && part.has(*wanted)) {
        narrower.push_back(part);
        while (wanted != indices.end() && part.has(*wanted)) ++wanted;
      }
      ++part.bits;
      part.below += c;
    }
  }

  /// The values of all groups, in any order.
  std::vector<T> gather() {
    std::vector<T> all(held());
    std::vector<std::vector<T>> mine;
    std::atomic<std::size_t> filled = 0;
    pass(
        "gathering", host_chunk_bytes, [&](unsigned slots) { mine.resize(slots); },
        [&](unsigned slot, std::span<const T> values) {
          auto& found = mine[slot];
          found.clear();
          for_each_held(groups_, values, [&](std::size_t, T value) { found.push_back(value); });
          const std::size_t to = filled.fetch_add(found.size());
          if (to + found.size() > all.size()) require_unchanged(to + found.size(), all.size());
          std::copy(found.begin(), found.end(), all.begin() + static_cast<std::ptrdiff_t>(to));
        });
    require_unchanged(filled, all.size());
    return all;
  }

  std::vector<T> find_among(const std::vector<T>& values, std::span<const std::uint64_t> indices) {
    std::vector<std::size_t> places;
    for (const std::uint64_t i : indices) {
      const auto group = group_of(i);
      std::uint64_t before = i - group->below;
      for (auto g = groups_.cbegin(); g != group; ++g) before += g->count;
      places.push_back(before);
    }
    return host_detail::values_at(host.threads(o_.threads), std::span(values), places);
  }

  void require_unchanged(std::uint64_t now, std::uint64_t before) const {
    if (now == before) return;
    throw data_error(in_.name() + ": has other values than before; it was written to meanwhile");
  }

  data::number_input& in_;
  const run_options& o_;
  unsigned unknown_ = 8 * sizeof(T);  // bits of the wanted values
  std::vector<bit_group> groups_;     // that have a wanted value; their bits ascend
};

}  // namespace

std::vector<double> quantiles_all(data::number_input& in, std::span<const double> q,
                                  interpolation how, const run_options& o) {
  check_memory(o);
  if (in.in_order()) {
    throw usage_error(in.name() + ": is a stream; quantiles need a file, so write it to one first");
  }
  const std::uint64_t n = *in.bytes() / size_of(in.type());
  if (n == 0) throw data_error(in.name() + ": holds no values, so it has no quantiles");
  host_detail::throw_refused("-q", detail::refuse_quantiles(q, n));
  std::vector<std::uint64_t> indices;
  for (const double share : q) {
    const auto place = detail::place_of_quantile(share, n, how);
    indices.insert(indices.end(), {place.low, place.high});
  }
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return visit_type(in.type(), [&]<class T>(std::type_identity<T>) {
    const std::vector<T> found = order_statistics_of_file<T>(in, o).find(indices);
    const auto at = [&](std::size_t index) {
      const auto place = std::lower_bound(indices.begin(), indices.end(), index);
      return detail::as_double(found[static_cast<std::size_t>(place - indices.begin())]);
    };
    std::vector<double> results;
    for (const double share : q) {
      const auto place = detail::place_of_quantile(share, n, how);
      results.push_back(detail::between(at(place.low), at(place.high), place.share));
    }
    return results;
  });
}

}  // namespace warpfold::files
