// Values that are selected move together, in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "warpfold/error.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/prefix_chain.hpp"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// A range whose values can be written, from values of T.
template <class Out, class T>
concept writable_from = values<Out> && requires(Out& out, const T& value) {
  *std::ranges::data(out) = static_cast<value_of<Out>>(value);
};

namespace host_detail {

/// Whether values are written to memory before it is known whether they are selected: that takes no
/// branch, which would be mispredicted.
template <class T>
inline constexpr bool is_plain =
    std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;
template <class T>
using staged = std::conditional_t<is_plain<T>, T, std::optional<T>>;

/// in[i] of all rows i that are selected, or of all others, goes to `out`, which may be `in`.
template <class In, class Out, bool Selected = true>
struct column {
  using in_type = In;
  using out_type = Out;

  const In* in;
  std::span<Out> out;

  /// Rows [i, i + size), of which flags[j] tells whether i + j is selected, and `count` are; `row`
  /// rows of the chunk come before them, and `before` selected ones.
  [[gnu::always_inline]] void stage(staged<Out>* to, std::size_t i, std::size_t size,
                                    const std::uint8_t* flags, std::size_t count, std::size_t row,
                                    std::size_t before) const {
    const std::size_t own = Selected ? count : size - count;
    if (own == 0) return;
    to += Selected ? before : row - before;
    if constexpr (is_plain<Out>) {
      if (own == size) {
        for (std::size_t j = 0; j < size; ++j) to[j] = static_cast<Out>(in[i + j]);
        return;
      }
    }
    for (std::size_t j = 0; j < size; ++j) {
      const unsigned selected = Selected ? flags[j] : 1U - flags[j];
      if constexpr (is_plain<Out>) {
        *to = static_cast<Out>(in[i + j]);
      } else if (selected != 0) {
        to->emplace(static_cast<Out>(in[i + j]));
      }
      to += selected;
    }
  }
  /// The staged values of rows [begin, end), of which `count` are selected, and `before` before.
  void write(staged<Out>* from, std::size_t begin, std::size_t end, std::size_t before,
             std::size_t count) const {
    const std::size_t first = Selected ? before : begin - before;
    const std::size_t size = Selected ? count : end - begin - count;
    // In place, all rows so far have stayed where they were, and the last one may be read just now.
    if (size == end - begin && static_cast<const void*>(in + begin) == out.data() + first) return;
    const std::size_t room = out.size() - std::min(out.size(), first);
    for (std::size_t j = 0; j < std::min(size, room); ++j) {
      if constexpr (is_plain<Out>) {
        out[first + j] = from[j];
      } else {
        out[first + j] = *std::move(from[j]);
      }
    }
  }
};

/// A column from `in` to `out`.
template <bool Selected = true, class In, class Out>
auto column_of(std::span<const In> in, Out& out) {
  using value_type = std::remove_reference_t<decltype(*std::ranges::data(out))>;
  return column<In, value_type, Selected>{in.data(),
                                          {std::ranges::data(out), std::ranges::size(out)}};
}

/// The indices of rows that are selected go to `out`.
template <class Index>
struct index_column {
  using in_type = Index;
  using out_type = Index;

  std::span<Index> out;

  [[gnu::always_inline]] void stage(Index* to, std::size_t i, std::size_t size,
                                    const std::uint8_t* flags, std::size_t, std::size_t,
                                    std::size_t before) const {
    to += before;
    for (std::size_t j = 0; j < size; ++j) {
      *to = static_cast<Index>(i + j);
      to += flags[j];
    }
  }
  void write(const Index* from, std::size_t, std::size_t, std::size_t before,
             std::size_t count) const {
    const std::size_t room = out.size() - std::min(out.size(), before);
    std::copy_n(from, std::min(count, room), out.data() + std::min(out.size(), before));
  }
};

/// So many rows are looked at before any of them is staged: that takes the machine's vectors.
/// (Of 32 clang -O3 makes no loop and therefore no vectors: half as fast.)
inline constexpr std::size_t rows_at_once = 64;

/// Calls visit(i, size, flags, count) for rows [i, i + size) and so on: flags[j] is 1 where row
/// i + j is selected, otherwise 0, and `count` their sum.
template <class Select, class Visit>
[[gnu::always_inline]] inline void for_each_flags(std::size_t begin, std::size_t end,
                                                  const Select& select, const Visit& visit) {
  std::uint8_t flags[rows_at_once];
  const auto look = [&](std::size_t i, std::size_t size) __attribute__((always_inline)) {
    select(i, size, flags);
    std::uint8_t count = 0;
    for (std::size_t j = 0; j < size; ++j) count = static_cast<std::uint8_t>(count + flags[j]);
    visit(i, size, flags, count);
  };
  std::size_t i = begin;
  for (; i + rows_at_once <= end; i += rows_at_once) look(i, rows_at_once);
  if (i < end) look(i, end - i);
}

template <class Select, class... Columns>
std::size_t stage_rows(std::size_t begin, std::size_t end, const Select& select,
                       std::pair<Columns, staged<typename Columns::out_type>*>... columns) {
  std::size_t before = 0;
  for_each_flags(
      begin, end, select,
      [&](std::size_t i, std::size_t size, const std::uint8_t* flags, std::size_t count)
          __attribute__((always_inline)) {
            (columns.first.stage(columns.second, i, size, flags, count, i - begin, before), ...);
            before += count;
          });
  return before;
}

/// Writes the selected ones of n rows to their columns; returns how many these are.
/// Nothing is written past a column's end. A chunk waits in its thread's memory until all before it
/// have been read, so that columns may be written in place.
template <class Where, class Select, class... Columns>
std::size_t compact(const Where& where, std::size_t n, const Select& select,
                    const Columns&... columns) {
  constexpr std::size_t row_bytes = (sizeof(typename Columns::in_type) + ...);
  constexpr std::size_t chunk =
      std::max<std::size_t>(1, tuning_of<Where>::scan_chunk_bytes / row_bytes);
  const std::size_t most = std::min(n, chunk);
  return *chain_chunks<std::size_t>(where, n, chunk, std::size_t{0}, [&] {
    return [&, memory = std::tuple(
                   std::make_unique_for_overwrite<staged<typename Columns::out_type>[]>(most)...)](
               std::size_t begin, std::size_t end, const auto& pass) {
      return std::apply(
          [&](const auto&... own) {
            const std::size_t count =
                stage_rows(begin, end, select, std::pair(columns, own.get())...);
            std::optional<std::size_t> before;
            if (!pass(before, [&](const auto& sum) { return *sum + count; })) return false;
            (columns.write(own.get(), begin, end, *before, count), ...);
            return true;
          },
          memory);
    };
  });
}

/// Selects the rows i for which is_selected(i) is true.
template <class IsSelected>
auto rows_where(const IsSelected& is_selected) {
  return [is_selected](std::size_t i, std::size_t size, std::uint8_t* flags) {
    for (std::size_t j = 0; j < size; ++j) flags[j] = is_selected(i + j) ? 1 : 0;
  };
}

/// Selects the rows that begin a run of equal neighbours.
template <class K, class Equal>
auto rows_that_begin_runs(std::span<const K> keys, const Equal& equal) {
  return [keys, &equal](std::size_t i, std::size_t size, std::uint8_t* flags) {
    flags[0] = i == 0 || !equal(keys[i - 1], keys[i]) ? 1 : 0;
    for (std::size_t j = 1; j < size; ++j) flags[j] = equal(keys[i + j - 1], keys[i + j]) ? 0 : 1;
  };
}

template <class Out>
void check_room(const char* call, const char* name, const Out& out, std::size_t needed) {
  const std::size_t room = std::ranges::size(out);
  if (needed > room) {
    throw usage_error("warpfold::", call, ": ", name, " has room for ", room,
                      " values and the result has ", needed, "; make it as long as that");
  }
}
inline void check_pairs(const char* call, std::size_t n, const char* name, std::size_t others) {
  if (n != others) {
    throw usage_error("warpfold::", call, ": ", n, " values and ", others, " ", name,
                      "; there must be as many of both");
  }
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
