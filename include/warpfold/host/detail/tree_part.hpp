// A range of the values of a canonical tree (docs/canonical.md): the results of its largest
// complete nodes. Ranges that follow each other join to the same nodes, however the values are
// split.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/tree.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Trivially copyable where Acc is.
template <class Acc>
class tree_part {
 public:
  /// Of no values; the first will be value `begin` of the tree.
  explicit tree_part(std::uint64_t begin = 0) : end_(begin) {}

  /// The number of values in the next node, if `n` >= 1 values follow.
  [[nodiscard]] std::uint64_t next_node(std::uint64_t n) const {
    const std::uint64_t fits = std::bit_floor(n);
    return end_ == 0 ? fits : std::min(fits, std::uint64_t{1} << std::countr_zero(end_));
  }
  /// Adds the next node, which has 2^level values.
  template <class Op>
  void push(Acc result, unsigned level, const Op& op) {
    end_ += std::uint64_t{1} << level;
    for (; count_ > 0 && level_[count_ - 1] == level && (end_ >> level) % 2 == 0; ++level) {
      result = op(std::move(result_[--count_]), std::move(result));
    }
    result_[count_] = std::move(result);
    level_[count_++] = static_cast<std::uint8_t>(level);
  }
  /// f(result, level) for each node, in their order.
  template <class F>
  void for_each(F f) const {
    for (unsigned i = 0; i < count_; ++i) f(result_[i], unsigned{level_[i]});
  }
  /// The result of all values; none if there are none. The range begins at value 0.
  template <class Op>
  [[nodiscard]] std::optional<Acc> root(const Op& op) const {
    if (count_ == 0) return {};
    Acc all = result_[count_ - 1];
    for (unsigned i = count_ - 1; i-- > 0;) all = op(result_[i], std::move(all));
    return all;
  }

 private:
  static constexpr std::size_t most = 128;  // 64 that grow, 64 that shrink
  std::uint64_t end_;
  unsigned count_ = 0;
  std::array<std::uint8_t, most> level_{};
  std::array<Acc, most> result_{};
};

/// Joins a range and the one that follows it.
template <class Op>
struct join_parts {
  Op op;
  template <class Acc>
  tree_part<Acc> operator()(tree_part<Acc> a, const tree_part<Acc>& b) const {
    b.for_each([&](const Acc& result, unsigned level) { a.push(result, level, op); });
    return a;
  }
};

/// The nodes of map(values), the first of which is value `begin` of the tree.
template <class Acc, class Where, class In, class Op, class Map>
tree_part<Acc> part_of_tree(const Where& where, std::uint64_t begin, std::span<const In> in,
                            const Op& op, const Map& map) {
  tree_part<Acc> part(begin);
  while (!in.empty()) {
    const std::size_t n = part.next_node(in.size());
    part.push(reduce_in_tree<Acc>(where, in.first(n), op, map),
              static_cast<unsigned>(std::countr_zero(n)), op);
    in = in.subspan(n);
  }
  return part;
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
