// Counts and sums of bins by threads, each in memory of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/exact/accumulator.hpp"
#include "warpfold/histogram/bins.hpp"
#include "warpfold/host/detail/parallel.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Parts of n values: as many as there are threads, unless a part had fewer values than there are
/// bins, or than are worth a thread.
template <class Where>
std::size_t parts_of(const Where& where, std::size_t n, std::size_t bins) {
  std::size_t threads = 1;
  run_on(where, [&] { threads = thread_count(); });
  constexpr std::size_t least = std::size_t{1} << 14;
  return std::clamp<std::size_t>(n / std::max(bins, least), 1, threads);
}

/// Bins of so many values are known before the first of them is counted: that takes the machine's
/// vectors.
inline constexpr std::size_t binned_at_once = 256;

/// Calls visit(i, bins of values i, …, how many) for values [begin, end), which are so many at a
/// time at most; values in no bin are in bin `bins`.
template <class BinOf, class Visit>
void for_each_bins(std::size_t begin, std::size_t end, std::size_t bins, const BinOf& bin_of,
                   const Visit& visit) {
  unsigned bin[binned_at_once];
  const auto none = static_cast<unsigned>(bins);
  for (std::size_t i = begin; i < end; i += binned_at_once) {
    const std::size_t now = std::min(binned_at_once, end - i);
    for (std::size_t k = 0; k < now; ++k) bin[k] = std::min(bin_of(i + k), none);
    visit(i, bin, now);
  }
}

/// Counts values [begin, end) in `copies` columns of bins + 1 counts, 1 or 4, in turns: an addition
/// need not wait for the one before where that was in the same bin.
template <class Count, class BinOf>
void count_part(std::size_t begin, std::size_t end, std::size_t bins, const BinOf& bin_of,
                Count* counts, std::size_t copies) {
  const std::size_t column = copies == 1 ? 0 : bins + 1;
  for_each_bins(begin, end, bins, bin_of, [=](std::size_t, const unsigned* bin, std::size_t size) {
    std::size_t k = 0;
    for (; k + 4 <= size; k += 4) {
      ++counts[bin[k]];
      ++counts[column + bin[k + 1]];
      ++counts[2 * column + bin[k + 2]];
      ++counts[3 * column + bin[k + 3]];
    }
    for (; k < size; ++k) ++counts[bin[k]];
  });
}

/// Leaves in counts[k] how many i < n have bin_of(i) == k.
template <class Where, class BinOf, class Count>
void count_bins(const Where& where, std::size_t n, std::size_t bins, const BinOf& bin_of,
                Count* counts) {
  using number = std::make_unsigned_t<Count>;
  const std::size_t parts = parts_of(where, n, bins), copies = bins <= 4096 ? 4 : 1;
  std::vector<std::vector<number>> part(parts);
  run_on(where, [&] {
    for_each_index(parts, [&](std::size_t p) {
      part[p].resize(copies * (bins + 1));
      count_part(n / parts * p + std::min(p, n % parts),
                 n / parts * (p + 1) + std::min(p + 1, n % parts), bins, bin_of, part[p].data(),
                 copies);
    });
  });
  for (std::size_t k = 0; k < bins; ++k) {
    number sum = 0;
    for (const auto& of : part) {
      for (std::size_t c = 0; c < copies; ++c) sum += of[c * (bins + 1) + k];
    }
    counts[k] = static_cast<Count>(sum);
  }
}

/// What the weights of a bin add up to.
template <class W>
struct bin_sum {
  using type = std::make_unsigned_t<W>;
  static void add(type& sum, W weight) { sum += static_cast<type>(weight); }
  static void merge(type& sum, const type& other) { sum += other; }
  static W value(const type& sum) { return static_cast<W>(sum); }
};
template <detail::summable W>
struct bin_sum<W> {
  using type = exact_accumulator<W>;
  static void add(type& sum, W weight) { sum.add(weight); }
  static void merge(type& sum, const type& other) { sum.merge(other); }
  static W value(type sum) {
    sum.add(W{0});  // a sum of zeros is +0
    return sum.round();
  }
};

/// For each bin k < bins the sum of weights[i] of all i < n for which bin_of(i) == k, not rounded.
template <class W, class Where, class BinOf>
std::vector<typename bin_sum<W>::type> unrounded_bins(const Where& where, std::size_t n,
                                                      std::size_t bins, const BinOf& bin_of,
                                                      const W* weights) {
  using sum = bin_sum<W>;
  const std::size_t parts = parts_of(where, n, bins * (sizeof(typename sum::type) / sizeof(W)));
  std::vector<std::vector<typename sum::type>> part(parts);
  run_on(where, [&] {
    for_each_index(parts, [&](std::size_t p) {
      part[p].resize(bins + 1);
      for_each_bins(n / parts * p + std::min(p, n % parts),
                    n / parts * (p + 1) + std::min(p + 1, n % parts), bins, bin_of,
                    [&](std::size_t i, const unsigned* bin, std::size_t size) {
                      for (std::size_t k = 0; k < size; ++k) {
                        sum::add(part[p][bin[k]], weights[i + k]);
                      }
                    });
    });
  });
  for (std::size_t k = 0; k < bins; ++k) {
    for (std::size_t p = 1; p < parts; ++p) sum::merge(part[0][k], part[p][k]);
  }
  part[0].resize(bins);
  return std::move(part[0]);
}

/// Leaves the same in sums[k], rounded.
template <class W, class Where, class BinOf>
void sum_bins(const Where& where, std::size_t n, std::size_t bins, const BinOf& bin_of,
              const W* weights, W* sums) {
  const auto unrounded = unrounded_bins(where, n, bins, bin_of, weights);
  for (std::size_t k = 0; k < bins; ++k) sums[k] = bin_sum<W>::value(unrounded[k]);
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
