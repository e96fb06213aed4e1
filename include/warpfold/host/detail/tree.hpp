// The canonical tree on the host (docs/canonical.md): neighbours meet in pairs, the pairs in pairs,
// and where the right one of two is absent, the left one stands for both. A chunk is a node of it,
// so that its size changes no result.
#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/prefix_chain.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/scan_chunk.hpp"
#include "warpfold/host/detail/simd.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// The operator itself; plus for sums that are not exact.
template <class Op>
constexpr auto tree_operator(const Op& op) {
  if constexpr (std::is_same_v<Op, pairwise_plus>) {
    return plus{};
  } else {
    return op;
  }
}

/// The values of a node, reduced: `Values` of them, a power of two.
template <std::size_t Values, class Acc, class In, class Op, class Map>
[[gnu::always_inline]] inline Acc full_node(const In* in, const Op& op, const Map& map) {
  if constexpr (Values == 1) {
    return static_cast<Acc>(map(in[0]));
  } else {
    Acc left = full_node<Values / 2, Acc>(in, op, map);
    return op(std::move(left), full_node<Values / 2, Acc>(in + Values / 2, op, map));
  }
}

/// A pack's worth of neighbouring nodes from two packs of their halves.
template <class Op, class T>
[[gnu::always_inline]] inline pack<T> join_pairs(pack<T> a, pack<T> b) {
  return apply<Op, T>(lanes_from<0, 2, T>(a, b), lanes_from<1, 2, T>(a, b));
}
template <std::size_t Packs, class Op, class Acc, class In, class Load>
[[gnu::always_inline]] inline pack<Acc> full_packs(const In* in, const Load& load) {
  if constexpr (Packs == 1) {
    return load(in);
  } else {
    return join_pairs<Op, Acc>(
        full_packs<Packs / 2, Op, Acc>(in, load),
        full_packs<Packs / 2, Op, Acc>(in + Packs / 2 * pack_lanes<Acc>, load));
  }
}
inline constexpr std::size_t packs_at_once = 16;

/// A node of n values, a power of two and no fewer than packs_at_once packs.
template <class Acc, class In, class Op, class Map>
Acc node_by_packs(const In* in, std::size_t n, const Op& op, const Map& map) {
  constexpr std::size_t width = pack_lanes<Acc>, step = packs_at_once * width;
  const auto load = [&](const In* from) __attribute__((always_inline)) {
    pack<Acc> loaded;
    if constexpr (std::is_same_v<In, Acc> && std::is_same_v<Map, convert_to<Acc>>) {
      std::memcpy(&loaded, from, sizeof loaded);
    } else {
      for (std::size_t j = 0; j < width; ++j) loaded[j] = static_cast<Acc>(map(from[j]));
    }
    return loaded;
  };
  pack<Acc> larger[64];  // nodes that wait for their right neighbours, by level
  pack<Acc> node{};
  for (std::size_t i = 0; i < n / step; ++i) {
    node = full_packs<packs_at_once, Op, Acc>(in + i * step, load);
    std::size_t level = 0;
    for (; (i >> level & 1) != 0; ++level) node = join_pairs<Op, Acc>(larger[level], node);
    larger[level] = node;
  }
  Acc lane[width];
  std::memcpy(lane, &node, sizeof lane);
  return full_node<width, Acc>(lane, op, convert_to<Acc>{});
}

/// n >= 1 values, by one thread.
template <class Acc, class In, class Op, class Map>
Acc tree_node(const In* in, std::size_t n, const Op& op, const Map& map) {
  constexpr std::size_t at_once = 16;
  if (n == 1) return full_node<1, Acc>(in, op, map);
  if constexpr (has_packed_form<Op, Acc>) {
    if (n >= packs_at_once * pack_lanes<Acc> && std::has_single_bit(n)) {
      return node_by_packs<Acc>(in, n, op, map);
    }
  }
  if (n == at_once) return full_node<at_once, Acc>(in, op, map);
  const std::size_t left = std::bit_ceil(n) / 2;
  Acc a = tree_node<Acc>(in, left, op, map);
  return op(std::move(a), tree_node<Acc>(in + left, n - left, op, map));
}

/// Values of a chunk: a power of two.
template <class T>
constexpr std::size_t tree_chunk(std::size_t bytes) {
  return std::bit_floor(items_in<T>(bytes));
}

/// The root of map(values), of which there are some.
template <class Acc, class Where, class In, class Op, class Map>
Acc reduce_in_tree(const Where& where, std::span<const In> in, const Op& op, const Map& map) {
  return join_chunks<Acc>(
      where, in, tree_chunk<In>(tuning_of<Where>::reduce_chunk_bytes), op,
      [&](std::span<const In> part) { return tree_node<Acc>(part.data(), part.size(), op, map); });
}

/// What precedes the next part of the values, where parts are nodes of the tree.
template <class Acc>
class tree_prefix {
 public:
  explicit tree_prefix(std::optional<Acc> init) : prefix_(std::move(init)) {}

  /// Empty where nothing precedes it, not even an init.
  [[nodiscard]] const std::optional<Acc>& value() const { return prefix_; }
  /// The next part, reduced: a node of `size` parts.
  template <class Op>
  void push(Acc part, const Op& op, std::size_t size = 1) {
    node now{std::move(part), std::move(prefix_)};
    for (std::size_t digit = size; (parts_ & digit) != 0; digit *= 2) {
      now = {op(std::move(nodes_.back().value), std::move(now.value)),
             std::move(nodes_.back().before)};
      nodes_.pop_back();
    }
    parts_ += size;
    prefix_ = now.before ? op(*now.before, now.value) : now.value;
    nodes_.push_back(std::move(now));
  }

 private:
  struct node {
    Acc value;
    std::optional<Acc> before;
  };
  std::vector<node> nodes_;  // as many as parts_ has digits 1, the largest first
  std::size_t parts_ = 0;
  std::optional<Acc> prefix_;
};

/// The results of `Values` neighbours that form a node, between what precedes it and what it ends
/// with. sums[l][j]: the j-th part of 2^l values.
template <bool Exclusive, std::size_t Values, std::size_t Level, class Acc, class Out, class Op,
          class Sums>
[[gnu::always_inline]] inline void scan_full_node(const Sums& sums, std::size_t at, Out* out,
                                                  const Acc& begin, const Acc& end, const Op& op) {
  if constexpr (Values == 1) {
    out[at] = static_cast<Out>(Exclusive ? begin : end);
  } else {
    const Acc middle = op(begin, sums[Level - 1][2 * (at >> Level)]);
    scan_full_node<Exclusive, Values / 2, Level - 1>(sums, at, out, begin, middle, op);
    scan_full_node<Exclusive, Values / 2, Level - 1>(sums, at + Values / 2, out, middle, end, op);
  }
}

/// The results of one chunk. `out` may be `in`.
template <bool Exclusive, class In, class Out, class Acc, class Op>
void scan_tree_chunk(std::span<const In> in, Out* out, const std::optional<Acc>& before,
                     const Op& op) {
  constexpr std::size_t levels = 3, block = 1 << levels;
  std::size_t i = 0;
  tree_prefix<Acc> one_by_one(before);  // the last values, and the first where nothing precedes
  const auto step = [&](std::size_t at) {
    const Acc value = static_cast<Acc>(in[at]);
    if constexpr (Exclusive) out[at] = static_cast<Out>(*one_by_one.value());
    one_by_one.push(value, op);
    if constexpr (!Exclusive) out[at] = static_cast<Out>(*one_by_one.value());
  };
  if constexpr (std::is_trivially_copyable_v<Acc> && std::is_default_constructible_v<Acc>) {
    tree_prefix<Acc> blocks(before);
    for (; i + block <= in.size(); i += block) {
      Acc sums[levels + 1][block];
      for (std::size_t j = 0; j < block; ++j) sums[0][j] = static_cast<Acc>(in[i + j]);
      detail::unrolled<levels>([&](auto level) __attribute__((always_inline)) {
        for (std::size_t j = 0; j < block >> (level + 1); ++j) {
          sums[level + 1][j] = op(sums[level][2 * j], sums[level][2 * j + 1]);
        }
      });
      const std::optional<Acc> begin = blocks.value();
      blocks.push(sums[levels][0], op);
      if (begin) {
        scan_full_node<Exclusive, block, levels>(sums, 0, out + i, *begin, *blocks.value(), op);
      } else {
        for (std::size_t j = 0; j < block; ++j) step(i + j);
      }
    }
    if (i > 0) one_by_one = tree_prefix<Acc>(blocks.value());
  }
  for (; i < in.size(); ++i) step(i);
}

template <bool Exclusive, class Where, class In, class Out, class Acc, class Op>
void scan_in_tree(const Where& where, std::span<const In> in, Out* out, std::optional<Acc> init,
                  const Op& op) {
  constexpr std::size_t chunk = tree_chunk<In>(tuning_of<Where>::scan_chunk_bytes);
  if (in.size() <= chunk) return scan_tree_chunk<Exclusive>(in, out, init, op);
  // The last inclusive result of a chunk is what precedes the next chunk.
  chain_chunks<tree_prefix<Acc>>(where, in.size(), chunk, tree_prefix<Acc>(std::move(init)), [&] {
    return [&](std::size_t begin, std::size_t end, const auto& pass) {
      const auto part = in.subspan(begin, end - begin);
      const Acc total = tree_node<Acc>(part.data(), part.size(), op, convert_to<Acc>{});
      std::optional<tree_prefix<Acc>> before;
      std::optional<Acc> upto;
      const auto after = [&](std::optional<tree_prefix<Acc>> prefix) {
        prefix->push(total, op);
        upto = prefix->value();
        return *std::move(prefix);
      };
      if (!pass(before, after)) return false;
      scan_tree_chunk<Exclusive>(part, out + begin, before->value(), op);
      if (!Exclusive && part.size() == chunk) out[end - 1] = static_cast<Out>(*std::move(upto));
      return true;
    };
  });
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
