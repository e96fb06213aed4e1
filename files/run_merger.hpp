// Hands out the rows of sorted runs in stretches: all rows of one stretch come before those of the
// next, and within a stretch rows of equal keys are in the order of their runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "files/run.hpp"
#include "files/sorted_runs.hpp"

namespace warpfold::files {

template <class Key>
class run_merger {
 public:
  /// Hands out rows first to last of all. Keeps `buffer_rows` rows of each run in memory. Reading
  /// ends with `interrupted` at `stop`.
  run_merger(const sorted_runs& runs, std::uint64_t first, std::uint64_t last,
             std::size_t buffer_rows, std::stop_token stop)
      : runs_(runs), buffer_rows_(buffer_rows), stop_(std::move(stop)) {
    const auto begins = cut_runs<Key>(runs, first), ends = cut_runs<Key>(runs, last);
    for (std::size_t r = 0; r < begins.size(); ++r) {
      runs_left_.push_back({.next = begins[r],
                            .end = ends[r],
                            .key = std::vector<Key>(buffer_rows),
                            .item = std::vector<std::byte>(buffer_rows * runs.item_bytes)});
    }
  }

  /// Fills `keys` (and as many items) with the next rows, not sorted yet; returns how many there
  /// were, fewer only at the end.
  std::size_t take(std::span<Key> keys, std::span<std::byte> items) {
    std::size_t filled = 0;
    while (filled < keys.size()) {
      for (auto& run : runs_left_) refill(run);
      auto counts = safe_counts();
      const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
      if (total == 0) break;
      if (total > keys.size() - filled) cut(counts, keys.size() - filled);
      for (std::size_t r = 0; r < counts.size(); ++r) {
        run& from = runs_left_[r];
        const std::size_t each = runs_.item_bytes;
        std::copy_n(from.key.data() + from.begin, counts[r], keys.data() + filled);
        if (each > 0) {
          std::memcpy(items.data() + filled * each, from.item.data() + from.begin * each,
                      counts[r] * each);
        }
        from.begin += counts[r];
        filled += counts[r];
      }
    }
    return filled;
  }

 private:
  struct run {
    std::uint64_t next, end;            // rows not in memory yet
    std::size_t begin = 0, filled = 0;  // rows in memory
    std::vector<Key> key;
    std::vector<std::byte> item;

    [[nodiscard]] bool has_more() const { return next < end; }
    [[nodiscard]] std::span<const Key> held() const {
      return std::span(key).subspan(begin, filled - begin);
    }
  };

  void refill(run& r) {
    const std::size_t held = r.filled - r.begin, each = runs_.item_bytes;
    if (!r.has_more() || held >= (buffer_rows_ + 1) / 2) return;
    std::copy_n(r.key.data() + r.begin, held, r.key.data());
    if (each > 0) std::memmove(r.item.data(), r.item.data() + r.begin * each, held * each);
    const std::size_t more = std::min<std::uint64_t>(buffer_rows_ - held, r.end - r.next);
    read(r.next * sizeof(Key), std::as_writable_bytes(std::span(r.key).subspan(held, more)));
    read(runs_.rows * sizeof(Key) + r.next * each,
         std::span(r.item).subspan(held * each, more * each));
    r.begin = 0;
    r.filled = held + more;
    r.next += more;
  }

  void read(std::uint64_t offset, std::span<std::byte> room) const {
    for_slices(room, stop_, [&](std::span<std::byte> slice) {
      runs_.file.read(offset, slice);
      offset += slice.size();
    });
  }

  static std::size_t count_below(std::span<const Key> sorted, Key key) {
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), key) -
                                    sorted.begin());
  }
  static std::size_t count_upto(std::span<const Key> sorted, Key key) {
    return static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), key) -
                                    sorted.begin());
  }

  /// How many rows of each run come before all that are not in memory. The run whose last held key
  /// is the least, and the first of those, limits the others: it gives all that it holds.
  [[nodiscard]] std::vector<std::size_t> safe_counts() const {
    const run* limit = nullptr;
    for (const auto& r : runs_left_) {
      if (r.has_more() && (limit == nullptr || r.held().back() < limit->held().back())) limit = &r;
    }
    std::vector<std::size_t> counts;
    bool before_limit = true;
    for (const auto& r : runs_left_) {
      if (limit == nullptr) {
        counts.push_back(r.held().size());
        continue;
      }
      const Key bound = limit->held().back();
      counts.push_back(before_limit ? count_upto(r.held(), bound) : count_below(r.held(), bound));
      before_limit = before_limit && &r != limit;
    }
    return counts;
  }

  /// Leaves the first `wanted` of these rows: those below a key, and of those that equal it the
  /// ones of the first runs.
  void cut(std::vector<std::size_t>& counts, std::size_t wanted) const {
    const auto upto = [&](Key key) {
      std::size_t total = 0;
      for (std::size_t r = 0; r < counts.size(); ++r) {
        total += count_upto(runs_left_[r].held().first(counts[r]), key);
      }
      return total;
    };
    Key low = 0, high = std::numeric_limits<Key>::max();
    while (low < high) {
      const Key middle = low + (high - low) / 2;
      if (upto(middle) >= wanted)
        high = middle;
      else
        low = middle + 1;
    }
    std::size_t equals = wanted;
    std::vector<std::size_t> most = counts;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      const auto held = runs_left_[r].held().first(counts[r]);
      most[r] = count_upto(held, low);
      counts[r] = count_below(held, low);
      equals -= counts[r];
    }
    for (std::size_t r = 0; r < counts.size(); ++r) {
      const std::size_t take = std::min(equals, most[r] - counts[r]);
      counts[r] += take;
      equals -= take;
    }
  }

  sorted_runs runs_;
  std::size_t buffer_rows_;
  std::stop_token stop_;
  std::vector<run> runs_left_;
};

}  // namespace warpfold::files
