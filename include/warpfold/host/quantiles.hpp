// Exact order statistics on the host's threads, without a sort: nth_element, quantiles, median.
//
// Values are integers of 1 to 8 bytes, f16, bf16, f32 or f64; they stay as they are. They are
// counted by the upper digit of their bits; values with the digit of a wanted one are copied, and
// are usually few. NaN counts as the greatest of values. Quantiles are NumPy's, in f64. The result
// is the same for any number of threads, and that of warpfold::device.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/error.hpp"
#include "warpfold/host/sort.hpp"
#include "warpfold/interpolation.hpp"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// A value at an index of the sorted order: the digits that are known, and how many of those that
/// begin alike come before it.
template <class K>
struct wanted_value {
  detail::rank_type<K> prefix;
  std::size_t before;
};

template <class K>
class order_statistics {
 public:
  using rank = detail::rank_type<K>;

  /// The values at these indices of the sorted order of n keys. all(size, f) returns the `size`
  /// counts that f() does, or their sums where other ranks have other keys of the n.
  template <class Where, class All>
  static std::vector<K> find(const Where& where, std::span<const K> keys, std::size_t n,
                             std::span<const std::size_t> indices, const All& all) {
    std::vector<wanted_value<K>> wanted;
    for (const std::size_t i : indices) wanted.push_back({0, i});
    std::vector<K> some;
    bool narrow = false;
    for (unsigned high = 8 * sizeof(K); high > 0;) {
      const unsigned low = high > digit_bits ? high - digit_bits : 0;
      const auto prefixes = distinct(wanted);
      const auto bins = all(prefixes.size() * digits, [&] {
        counts own;
        run_on(where, [&] {
          if (narrow) {
            some = gather(keys, prefixes, high);
            keys = some;
          }
          own = count(keys, prefixes, high, low);
        });
        return own;
      });
      std::size_t alike = 0;
      for (auto& w : wanted) {
        const auto slot = std::find(prefixes.begin(), prefixes.end(), w.prefix) - prefixes.begin();
        alike += pick(w, bins.data() + static_cast<std::size_t>(slot) * digits, low);
      }
      narrow = alike <= n / 4;
      if (narrow) n = alike;
      high = low;
    }
    std::vector<K> found;
    for (const auto& w : wanted) found.push_back(key_of<K>(w.prefix));
    return found;
  }

 private:
  using counts = std::vector<std::uint64_t>;
  static constexpr unsigned digit_bits = 11;
  static constexpr std::size_t digits = std::size_t{1} << digit_bits;

  static std::vector<rank> distinct(const std::vector<wanted_value<K>>& wanted) {
    std::vector<rank> prefixes;
    for (const auto& w : wanted) prefixes.push_back(w.prefix);
    std::sort(prefixes.begin(), prefixes.end());
    prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
    return prefixes;
  }
  /// f(part, begin, end) for parts of n keys, one after another in memory.
  template <class F>
  static void for_each_part(std::size_t n, std::size_t parts, const F& f) {
    const auto begin = [=](std::size_t p) { return n / parts * p + std::min(p, n % parts); };
    for_each_index(parts, [&](std::size_t p) { f(p, begin(p), begin(p + 1)); });
  }
  static std::size_t parts_of(std::size_t n) {
    return std::min(4 * thread_count(), n / (16 * digits) + 1);
  }
  static bool begins_as(rank r, rank prefix, unsigned high) {
    return high == 8 * sizeof(K) || static_cast<rank>(r ^ prefix) >> high == 0;
  }

  /// For each prefix, how many keys of each digit [low, high) begin as it does.
  static counts count(std::span<const K> keys, const std::vector<rank>& prefixes, unsigned high,
                      unsigned low) {
    const rank mask = static_cast<rank>((rank{1} << (high - low)) - 1);
    const std::size_t parts = parts_of(keys.size());
    std::vector<counts> own(parts);
    for_each_part(keys.size(), parts, [&](std::size_t p, std::size_t begin, std::size_t end) {
      counts bins(prefixes.size() * digits);
      for (std::size_t s = 0; s < prefixes.size(); ++s) {
        for (std::size_t i = begin; i < end; ++i) {
          const rank r = rank_of(keys[i]);
          if (begins_as(r, prefixes[s], high)) ++bins[s * digits + (r >> low & mask)];
        }
      }
      own[p] = std::move(bins);
    });
    for (std::size_t p = 1; p < parts; ++p) {
      for (std::size_t b = 0; b < own[0].size(); ++b) own[0][b] += own[p][b];
    }
    return std::move(own[0]);
  }
  /// Adds the digit that the wanted value has. How many keys begin as it does then.
  static std::size_t pick(wanted_value<K>& wanted, const std::uint64_t* bins, unsigned low) {
    std::size_t digit = 0;
    while (bins[digit] <= wanted.before) wanted.before -= bins[digit++];
    wanted.prefix = static_cast<rank>(wanted.prefix | rank{static_cast<rank>(digit)} << low);
    return bins[digit];
  }
  static std::vector<K> gather(std::span<const K> keys, const std::vector<rank>& prefixes,
                               unsigned high) {
    const std::size_t parts = parts_of(keys.size());
    std::vector<std::vector<K>> own(parts);
    for_each_part(keys.size(), parts, [&](std::size_t p, std::size_t begin, std::size_t end) {
      std::vector<K> found;
      for (std::size_t i = begin; i < end; ++i) {
        const rank r = rank_of(keys[i]);
        bool alike = false;
        for (const rank prefix : prefixes) alike = alike || begins_as(r, prefix, high);
        if (alike) found.push_back(keys[i]);
      }
      own[p] = std::move(found);
    });
    std::vector<K> all;
    for (const auto& found : own) all.insert(all.end(), found.begin(), found.end());
    return all;
  }
};

/// The quantiles q of n values, of which values(indices) are those at some indices of the sorted
/// order.
template <class Values>
void quantiles_of(std::size_t n, std::span<const double> q, double* out, interpolation how,
                  const Values& values) {
  if (q.empty()) return;
  std::vector<std::size_t> indices;
  for (const double share : q) {
    const auto place = detail::place_of_quantile(share, n, how);
    indices.insert(indices.end(), {place.low, place.high});
  }
  const auto found = values(std::span<const std::size_t>(indices));
  for (std::size_t i = 0; i < q.size(); ++i) {
    out[i] = detail::between(detail::as_double(found[2 * i]), detail::as_double(found[2 * i + 1]),
                             detail::place_of_quantile(q[i], n, how).share);
  }
}

template <class Where, class K>
std::vector<K> values_at(const Where& where, std::span<const K> keys,
                         std::span<const std::size_t> indices) {
  std::vector<K> found;
  run_on(where, [&] {
    found = order_statistics<K>::find(host, keys, keys.size(), indices,
                                      [](std::size_t, const auto& count) { return count(); });
  });
  return found;
}

}  // namespace host_detail

/// The value that a sort would put at index `nth`, in ascending order. Throws usage_error unless
/// there are more values.
template <host_place Where, values Range>
  requires has_order_statistics<value_of<Range>>
value_of<Range> nth_element(Where where, const Range& range, std::size_t nth) {
  const auto keys = view(range);
  if (nth >= keys.size()) {
    throw usage_error("warpfold::nth_element(host, values, ", nth, "): there are ", keys.size(),
                      " values, counted from 0");
  }
  return host_detail::values_at(where, keys, std::array{nth})[0];
}

/// Writes the quantile q[i] of the values to out[i]. Throws usage_error for no values, and for a
/// share that is not between 0 and 1.
template <host_place Where, values Range>
  requires has_order_statistics<value_of<Range>>
void quantiles_into(Where where, const Range& range, std::span<const double> q, double* out,
                    interpolation how = interpolation::linear) {
  const auto keys = view(range);
  host_detail::throw_refused("warpfold::quantiles(host, values, q)",
                             detail::refuse_quantiles(q, keys.size()));
  host_detail::quantiles_of(keys.size(), q, out, how, [&](std::span<const std::size_t> indices) {
    return host_detail::values_at(where, keys, indices);
  });
}
/// The quantiles.
template <host_place Where, values Range, std::size_t Count>
  requires has_order_statistics<value_of<Range>>
std::array<double, Count> quantiles(Where where, const Range& range,
                                    const std::array<double, Count>& q,
                                    interpolation how = interpolation::linear) {
  std::array<double, Count> found{};
  quantiles_into(where, range, q, found.data(), how);
  return found;
}

/// The median: of an even number of values the mean of the two in the middle. Throws usage_error
/// for no values.
template <host_place Where, values Range>
  requires has_order_statistics<value_of<Range>>
double median(Where where, const Range& range) {
  return quantiles(where, range, std::array{0.5})[0];
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
