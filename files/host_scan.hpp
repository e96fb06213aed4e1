// Prefix sums of a file on the host: every slot reduces its chunk, takes the carry from the chunk
// before, hands on its own, and scans the chunk while it is in its core's cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "files/canonical.hpp"
#include "files/host_engine.hpp"
#include "files/scan_operation.hpp"
#include "warpfold/host/scan.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace reductions {

/// What the chunks before the next one come to.
template <class Reduction>
class running_total {
 public:
  using accumulator = typename Reduction::partial;
  static constexpr auto place = this_thread;
  static constexpr bool joins_nodes = false;

  static accumulator of(std::span<const typename Reduction::value> chunk) {
    return partial_of(Reduction{}, chunk, 0);
  }
  [[nodiscard]] const accumulator& value() const { return value_; }
  void push(const accumulator& total, std::size_t /*values*/) {
    value_ = Reduction::join(value_, total);
  }
  void push_ranks(const accumulator& before) { value_ = before; }

 private:
  accumulator value_ = Reduction::identity();
};

/// The same in the canonical order: full chunks are nodes of the tree. The last inclusive result of
/// one may be that of a larger node, so that it is what comes before the next chunk.
template <class T, class Op, class Acc>
class running_total<in_tree<T, Op, Acc>> {
 public:
  using accumulator = Acc;
  static constexpr auto place = this_thread.with(determinism::gpu_to_gpu);
  static constexpr bool joins_nodes = true;

  static Acc of(std::span<const T> chunk) {
    return host_detail::reduce_in_tree<Acc>(this_thread, chunk, Op{},
                                            host_detail::convert_to<Acc>{});
  }
  [[nodiscard]] const Acc& value() const { return *prefix_.value(); }
  void push(const Acc& total, std::size_t values) { prefix_.push(total, Op{}, values); }
  void push_ranks(const host_detail::tree_part<Acc>& before) {
    before.for_each([&](const Acc& node, unsigned level) { push(node, std::size_t{1} << level); });
  }

 private:
  host_detail::tree_prefix<Acc> prefix_{Op::template identity<Acc>()};
};

struct host_scan {
  template <class Reduction, class Out>
  static std::uint64_t scan(data::number_input& in, const files::scan_request& request,
                            const files::run_options& o) {
    using Acc = typename Reduction::partial;
    using Op = typename Reduction::op;
    if constexpr (!detail::is_order_free<Op, Acc>) {
      if (o.gpu_to_gpu) {
        return scan_chunks<in_tree<typename Reduction::value, Op, Acc>, Out>(in, request, o);
      }
    }
    return scan_chunks<Reduction, Out>(in, request, o);
  }

 private:
  template <class Reduction, class Out>
  static std::uint64_t scan_chunks(data::number_input& in, const files::scan_request& request,
                                   const files::run_options& o) {
    using T = typename Reduction::value;
    using total = running_total<Reduction>;
    using Acc = typename total::accumulator;
    constexpr bool in_place = sizeof(T) == sizeof(Out);
    constexpr std::size_t most = files::host_chunk_bytes / sizeof(T);
    constexpr std::size_t lane_bytes =
        files::host_chunk_bytes + (in_place ? 0 : most * sizeof(Out));
    pipeline line({.chunk_bytes = files::host_chunk_bytes,
                   .slots = files::slots_for(o, in, files::host_chunk_bytes, lane_bytes),
                   .stop = o.stop});
    struct lane_state {
      Acc value{};  // the chunk's total, then what comes before the chunk
      Acc end{};    // what comes before the next one
      std::vector<Out> out;
    };
    std::vector<lane_state> mine(line.slots());
    if (!in_place) {
      for (auto& m : mine) m.out.resize(most);
    }
    const auto prefixes = [&](const pipeline::chunk& c) {
      return in_place ? reinterpret_cast<Out*>(c.bytes.data()) : mine[c.slot].out.data();
    };
    total carry;
    const auto part = files::part_of(in, o, files::host_chunk_bytes);
    if (o.ranks != nullptr) carry.push_ranks(carry_of<Reduction>(in, o));
    const auto done = files::run_watched(
        o, "scanning", line,
        {.read = files::reader_of(in, o, part),
         .read_in_order = in.in_order(),
         .work =
             [&](const pipeline::chunk& c) {
               mine[c.slot].value = total::of(files::values_in<T>(c));
             },
         .in_order =
             [&](const pipeline::chunk& c) {
               auto& [value, end, out] = mine[c.slot];
               const Acc before = carry.value();
               carry.push(value, c.bytes.size() / sizeof(T));
               value = before;
               end = carry.value();
             },
         .finish =
             [&](const pipeline::chunk& c) {
               const auto& [before, end, out] = mine[c.slot];
               scan_chunk<total, typename Reduction::op>(request.exclusive, files::values_in<T>(c),
                                                         prefixes(c), before, end);
             },
         .write =
             [&](const pipeline::chunk& c) {
               write_prefixes<T>(request, (part.begin + c.offset) / sizeof(T), c, prefixes(c));
             },
         .write_in_order = request.to.in_order()},
        files::bytes_in(in, part));
    return (o.ranks != nullptr ? *in.bytes() : done.bytes) / sizeof(T);
  }

  /// The prefixes of a chunk; `end` is what comes before the next one.
  template <class Total, class Op, class T, class Out, class Acc>
  static void scan_chunk(bool exclusive, std::span<const T> values, Out* out, const Acc& before,
                         const Acc& end) {
    if (exclusive) return exclusive_scan(Total::place, values, out, before, Op{});
    inclusive_scan(Total::place, values, out, Op{}, before);
    if (Total::joins_nodes && values.size_bytes() == files::host_chunk_bytes) {
      out[values.size() - 1] = static_cast<Out>(end);
    }
  }

  /// What the parts of the ranks before come to: this one's part is read for it, once more than by
  /// a process alone.
  template <class Reduction>
  static typename Reduction::partial carry_of(data::number_input& in, const files::run_options& o) {
    using partial = typename Reduction::partial;
    std::uint64_t bytes = 0;
    std::vector<partial> mine;
    reduce_chunks<Reduction>(in, o, bytes, [&](const partial& p) { mine.push_back(p); });
    partial all = Reduction::identity(), before = all;
    o.ranks->in_turn(std::as_writable_bytes(std::span(&all, 1)), [&] {
      before = all;
      for (const partial& p : mine) all = Reduction::join(all, p);
    });
    return before;
  }
};

}  // namespace reductions
}  // namespace warpfold::inline WARPFOLD_MACHINE
