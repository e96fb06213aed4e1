// Runs of equal neighbours, reduced and scanned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/prefix_chain.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/scan_chunk.hpp"
#include "warpfold/host/detail/segments.hpp"
#include "warpfold/host/detail/simd.hpp"
#include "warpfold/host/detail/tree.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"
#include "warpfold/unrolled.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// How many runs have begun, and what the last one comes to so far.
template <class Acc>
struct open_runs {
  std::size_t count;
  Acc sum;
};

/// f(i, begin, end) for each run i, as for_each_segment; returns the number of runs.
template <class Where, class K, class Equal, class F>
std::size_t for_each_run(const Where& where, std::span<const K> keys, const Equal& equal,
                         std::size_t most, const F& f) {
  const auto begins = std::make_unique_for_overwrite<std::size_t[]>(keys.size() + 1);
  const std::size_t count =
      compact(where, keys.size(), rows_that_begin_runs(keys, equal),
              index_column<std::size_t>{std::span<std::size_t>(begins.get(), keys.size())});
  begins[count] = keys.size();
  const auto runs = segments_by(std::span<const std::size_t>(begins.get(), count + 1));
  for_each_segment(where, runs, most, [&](std::size_t i) { f(i, runs.at(i), runs.at(i + 1)); });
  return count;
}

/// Where runs begin in a chunk of rows.
class chunk_runs {
 public:
  explicit chunk_runs(std::size_t most) : starts_(most), begins_(most) {}

  template <class Begins>
  void find(std::size_t begin, std::size_t end, const Begins& begins) {
    begin_ = begin, end_ = end;
    std::size_t before = 0;
    std::uint32_t* const starts = starts_.data();
    for_each_flags(
        begin, end, begins,
        [&](std::size_t i, std::size_t size, const std::uint8_t* flags, std::size_t count)
            __attribute__((always_inline)) {
              std::memcpy(begins_.data() + (i - begin), flags, size);
              if (count == 0) return;
              std::size_t at = before;
              for (std::size_t j = 0; j < size; ++j) {
                starts[at] = static_cast<std::uint32_t>(i + j - begin);
                at += flags[j];
              }
              before += count;
            });
    count_ = before;
  }
  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Of the run that begins `which` runs after the first one; the end of the chunk, of none.
  [[nodiscard]] std::size_t start(std::size_t which) const {
    return which < count_ ? begin_ + starts_[which] : end_;
  }
  /// So short that calls for each would cost more than what they do.
  [[nodiscard]] bool are_short() const { return count_ * short_run > end_ - begin_; }

  /// visit(p, row, begins) for each row of the first `runs` runs, in four places p at a time, since
  /// one would wait for each application of the operator. Place p starts with run runs * p / 4.
  template <class Visit>
  [[gnu::always_inline]] void for_each_row(std::size_t runs, const Visit& visit) const {
    std::size_t at[5], common = end_;
    for (std::size_t p = 0; p <= 4; ++p) at[p] = start(runs * p / 4);
    for (std::size_t p = 0; p < 4; ++p) common = std::min(common, at[p + 1] - at[p]);
    const auto visit_row = [&](auto p, std::size_t row) __attribute__((always_inline)) {
      visit(p, row, begins_[row - begin_]);
    };
    for (std::size_t j = 0; j < common; ++j) {
      detail::unrolled<4>([&](auto p) __attribute__((always_inline)) { visit_row(p, at[p] + j); });
    }
    detail::unrolled<4>([&](auto p) __attribute__((always_inline)) {
      for (std::size_t row = at[p] + common; row < at[p + 1]; ++row) visit_row(p, row);
    });
  }

 private:
  static constexpr std::size_t short_run = 32;

  std::size_t begin_ = 0, end_ = 0, count_ = 0;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint8_t> begins_;
};

/// a where a run begins, otherwise b, without a branch. Of the first lanes; the others don't count.
template <class T>
[[gnu::always_inline]] inline pack<T> where_begins(std::uint8_t begins, pack<T> a, pack<T> b) {
  using bits = pack<unsigned_bits<sizeof(T)>>;
  bits all{};
  all[0] = static_cast<unsigned_bits<sizeof(T)>>(-begins);
  return (pack<T>)(((bits)a & all) | ((bits)b & ~all));
}
template <class T>
[[gnu::always_inline]] inline pack<T> first_lane(T value) {
  pack<T> lanes{};
  lanes[0] = value;
  return lanes;
}

/// What neighbours within a run come to.
template <class Acc, class V, class Op>
struct run_sums {
  std::span<const V> values;
  const Op& op;

  Acc operator()(std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin;
    if (n < 4 * lanes<Acc>) {
      return reduce_in_order<Acc>(values.data() + begin, n, op, convert_to<Acc>{});
    }
    return reduce_chunk<Acc>(values.subspan(begin, n), op);
  }
  /// The first `count` runs, which must be short.
  template <class Out>
  void write_short(const chunk_runs& runs, std::size_t count, Out* out) const
    requires has_packed_form<Op, Acc>
  {
    pack<Acc> sum[4] = {};
    std::size_t to[4];
    for (std::size_t p = 0; p < 4; ++p) to[p] = count * p / 4 - 1;  // a run begins at once
    runs.for_each_row(
        count, [&](auto p, std::size_t row, std::uint8_t begins) __attribute__((always_inline)) {
          const auto value = first_lane<Acc>(static_cast<Acc>(values[row]));
          sum[p] = where_begins<Acc>(begins, value, apply<Op, Acc>(sum[p], value));
          to[p] += begins;
          out[to[p]] = static_cast<Out>(sum[p][0]);
        });
  }
};

/// Calls write(before, runs) for each chunk of n rows, `runs` being those that begin in it and
/// `before` those before it; none before the first chunk. reduce(begin, end) reduces neighbours
/// within a run. Returns the runs of all; none if there are no rows.
template <class Acc, std::size_t RowBytes, class Where, class Begins, class Reduce, class Op,
          class Write>
std::optional<open_runs<Acc>> chain_runs(const Where& where, std::size_t n, const Begins& begins,
                                         const Reduce& reduce, const Op& op, const Write& write) {
  using runs_before = std::optional<open_runs<Acc>>;
  constexpr std::size_t chunk =
      std::max<std::size_t>(1, tuning_of<Where>::scan_chunk_bytes / RowBytes);
  return chain_chunks<open_runs<Acc>>(where, n, chunk, std::nullopt, [&] {
    return [&, runs = chunk_runs(std::min(n, chunk))](std::size_t begin, std::size_t end,
                                                      const auto& pass) mutable {
      runs.find(begin, end, begins);
      const std::size_t count = runs.count();
      const Acc last = reduce(count > 0 ? runs.start(count - 1) : begin, end);
      const auto after = [&](const runs_before& before) -> open_runs<Acc> {
        if (count == 0) return {before->count, op(before->sum, last)};  // the first row begins one
        return {(before ? before->count : 0) + count, last};
      };
      runs_before before;
      if (!pass(before, after)) return false;
      write(before, std::as_const(runs));
      return true;
    };
  });
}

/// How messages name a call and its outputs.
struct run_outputs {
  const char *call, *keys, *values;
};

/// Writes the first key of each run to `key`, as far as that goes; put(i, row, sum) takes what run
/// i comes to, of which `row` is a row, and put_whole(first, runs) the same of all runs of a chunk
/// but the last, which may go on. Returns the number of runs.
template <class Acc, std::size_t RowBytes, class Where, class K, class OutKey, class Equal,
          class Reduce, class Op, class Put, class PutWhole>
std::size_t put_runs(const Where& where, std::span<const K> keys, std::span<OutKey> key,
                     const Equal& equal, const Reduce& reduce, const Op& op, const Put& put,
                     const PutWhole& put_whole) {
  const auto write = [&](const std::optional<open_runs<Acc>>& before, const chunk_runs& runs) {
    if (runs.count() == 0) return;
    const std::size_t first = before ? before->count : 0, begin = runs.begin();
    if (before) {
      put(first - 1, begin - 1,
          runs.start(0) > begin ? op(before->sum, reduce(begin, runs.start(0))) : before->sum);
    }
    const std::size_t room = key.size() - std::min(key.size(), first);
    for (std::size_t j = 0; j < std::min(runs.count(), room); ++j) {
      key[first + j] = static_cast<OutKey>(keys[runs.start(j)]);
    }
    put_whole(first, runs);
  };
  const auto all = chain_runs<Acc, RowBytes>(where, keys.size(), rows_that_begin_runs(keys, equal),
                                             reduce, op, write);
  const std::size_t count = all ? all->count : 0;
  if (all) put(count - 1, keys.size() - 1, all->sum);
  return count;
}

/// Writes a key of each run and what the run comes to; returns how many there are.
template <class Acc, std::size_t RowBytes, class Where, class K, class OutKeys, class OutValues,
          class Equal, class Reduce, class Op>
std::size_t reduce_runs(const run_outputs& names, const Where& where, std::span<const K> keys,
                        OutKeys& out_keys, OutValues& out_values, const Equal& equal,
                        const Reduce& reduce, const Op& op) {
  const std::span key(std::ranges::data(out_keys), std::ranges::size(out_keys));
  const std::span value(std::ranges::data(out_values), std::ranges::size(out_values));
  const auto put = [&](std::size_t i, std::size_t, const Acc& sum) {
    if (i < value.size()) value[i] = static_cast<value_of<OutValues>>(sum);
  };
  const auto put_whole = [&](std::size_t first, const chunk_runs& runs) {
    const std::size_t whole = runs.count() - 1;
    if constexpr (requires { reduce.write_short(runs, whole, value.data()); }) {
      if (runs.are_short() && first + whole <= value.size()) {
        return reduce.write_short(runs, whole, value.data() + first);
      }
    }
    for (std::size_t j = 0; j < whole; ++j)
      put(first + j, runs.start(j), reduce(runs.start(j), runs.start(j + 1)));
  };
  const std::size_t count =
      put_runs<Acc, RowBytes>(where, keys, key, equal, reduce, op, put, put_whole);
  check_room(names.call, names.keys, out_keys, count);
  check_room(names.call, names.values, out_values, count);
  return count;
}

/// Scans the runs that begin in a chunk, which must be short.
template <bool Exclusive, class Acc, class V, class Out, class Op>
void scan_short_runs(const chunk_runs& runs, std::span<const V> values, Out* out, const Acc& init) {
  const auto start = first_lane<Acc>(init);
  pack<Acc> sum[4] = {};
  runs.for_each_row(
      runs.count(), [&](auto p, std::size_t row,
                        std::uint8_t begins) __attribute__((always_inline)) {
        const auto value = first_lane<Acc>(static_cast<Acc>(values[row]));
        if constexpr (Exclusive) {
          const auto before = where_begins<Acc>(begins, start, sum[p]);
          out[row] = static_cast<Out>(before[0]);
          sum[p] = apply<Op, Acc>(before, value);
        } else {
          sum[p] = where_begins<Acc>(begins, value, apply<Op, Acc>(sum[p], value));
          out[row] = static_cast<Out>(sum[p][0]);
        }
      });
}

/// Scans each run, from `init` where there is one.
template <bool Exclusive, class Acc, class Where, class K, class V, class Out, class Op,
          class Equal>
void scan_runs(const char* call, const Where& where, std::span<const K> keys,
               std::span<const V> values, Out& range, const std::optional<Acc>& init, const Op& op,
               const Equal& equal) {
  check_pairs(call, values.size(), "keys", keys.size());
  check_room(call, "out", range, keys.size());
  auto* const out = std::ranges::data(range);
  if constexpr (detail::is_canonical<Where, Op, Acc>) {
    constexpr std::size_t chunk = tree_chunk<V>(tuning_of<Where>::scan_chunk_bytes);
    for_each_run(where, keys, equal, chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
      scan_in_tree<Exclusive>(where, values.subspan(begin, end - begin), out + begin, init,
                              tree_operator(op));
    });
    return;
  }
  const auto scan = [&](std::size_t begin, std::size_t end, const std::optional<Acc>& before) {
    scan_chunk<Exclusive>(values.subspan(begin, end - begin), out + begin, before, op);
  };
  const auto write = [&](const std::optional<open_runs<Acc>>& before, const chunk_runs& runs) {
    if (before && runs.start(0) > runs.begin()) {
      const Acc& sum = before->sum;
      scan(runs.begin(), runs.start(0), std::optional<Acc>(init ? op(*init, sum) : sum));
    }
    if constexpr (has_packed_form<Op, Acc>) {
      if (runs.are_short()) {
        return scan_short_runs<Exclusive, Acc, V, value_of<Out>, Op>(runs, values, out,
                                                                     init.value_or(Acc{}));
      }
    }
    for (std::size_t j = 0; j < runs.count(); ++j) scan(runs.start(j), runs.start(j + 1), init);
  };
  chain_runs<Acc, sizeof(K) + sizeof(V)>(where, keys.size(), rows_that_begin_runs(keys, equal),
                                         run_sums<Acc, V, Op>{values, op}, op, write);
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
