// Prefix sums of a file on the host: every slot reduces its chunk, takes the carry from the chunk
// before, hands on its own, and scans the chunk while it is in its core's cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "files/host_engine.hpp"
#include "files/scan_operation.hpp"
#include "warpfold/host/scan.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace reductions {

struct host_scan {
  template <class Reduction, class Out>
  static std::uint64_t scan(data::number_input& in, const files::scan_request& request,
                            const files::run_options& o) {
    using T = typename Reduction::value;
    using Acc = typename Reduction::partial;
    constexpr bool in_place = sizeof(T) == sizeof(Out);
    constexpr std::size_t most = files::host_chunk_bytes / sizeof(T);
    constexpr std::size_t lane_bytes =
        files::host_chunk_bytes + (in_place ? 0 : most * sizeof(Out));
    pipeline line({.chunk_bytes = files::host_chunk_bytes,
                   .slots = files::slots_for(o, in, files::host_chunk_bytes, lane_bytes),
                   .stop = o.stop});
    struct lane_state {
      Acc value{};  // the chunk's total, then what comes before the chunk
      std::vector<Out> out;
    };
    std::vector<lane_state> mine(line.slots());
    if (!in_place) {
      for (auto& m : mine) m.out.resize(most);
    }
    const auto prefixes = [&](const pipeline::chunk& c) {
      return in_place ? reinterpret_cast<Out*>(c.bytes.data()) : mine[c.slot].out.data();
    };
    Acc carry = Reduction::identity();
    const auto part = files::part_of(in, o, files::host_chunk_bytes);
    if (o.ranks != nullptr) carry = carry_of<Reduction>(in, o);
    const typename Reduction::op op{};
    const auto done = files::run_watched(
        o, "scanning", line,
        {.read = files::reader_of(in, o, part),
         .read_in_order = in.in_order(),
         .work =
             [&](const pipeline::chunk& c) {
               mine[c.slot].value = partial_of(Reduction{}, files::values_in<T>(c), 0);
             },
         .in_order =
             [&](const pipeline::chunk& c) {
               const Acc total = mine[c.slot].value;
               mine[c.slot].value = carry;
               carry = Reduction::join(carry, total);
             },
         .finish =
             [&](const pipeline::chunk& c) {
               const auto values = files::values_in<T>(c);
               if (request.exclusive)
                 exclusive_scan(this_thread, values, prefixes(c), mine[c.slot].value, op);
               else
                 inclusive_scan(this_thread, values, prefixes(c), op, mine[c.slot].value);
             },
         .write =
             [&](const pipeline::chunk& c) {
               write_prefixes<T>(request, (part.begin + c.offset) / sizeof(T), c, prefixes(c));
             },
         .write_in_order = request.to.in_order()},
        files::bytes_in(in, part));
    return (o.ranks != nullptr ? *in.bytes() : done.bytes) / sizeof(T);
  }

 private:
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
