// Folds and scans the chunks of a file on the device.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "files/reductions.hpp"
#include "files/scan_operation.hpp"
#include "warpfold/device/detail/convert.cuh"
#include "warpfold/device/exact.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"
#include "warpfold/device/stage.cuh"
#include "warpfold/workspace.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace reductions {

/// Chunks of the device's algorithms: long enough for the copy engine's full rate, and where they
/// go in order, for a thread to wake up meanwhile. Pinning more of them takes time, too.
inline constexpr std::size_t reduced_chunk_bytes = std::size_t{4} << 20;
inline constexpr std::size_t scanned_chunk_bytes = std::size_t{8} << 20;
inline constexpr std::size_t least_chunk_bytes = std::size_t{1} << 20;
/// Threads that read; one alone reads a cached file at a tenth of the link's rate. Each has memory
/// to be pinned, which takes longer than more of them would win.
inline constexpr unsigned device_slots = 12;

/// A line whose slots each take `ratio` bytes for one of a chunk: as many slots as the link needs,
/// and chunks as large as `chunk`, as far as the memory goes.
inline pipeline::options device_line(const files::run_options& o, const data::number_input& in,
                                     std::size_t chunk, std::size_t ratio, pinned_memory& room) {
  while (chunk > least_chunk_bytes && 4 * ratio * chunk > o.memory) chunk /= 2;
  return {.chunk_bytes = chunk,
          .slots = files::slots_for(o, in, chunk, ratio * chunk, device_slots),
          .memory = &room,
          .stop = o.stop};
}

inline void say_if_refused(const files::run_options& o, const pinned_memory& room) {
  if (room.refused() && o.watcher != nullptr) {
    o.watcher->warn("the driver did not pin memory; copies to the device were slower");
  }
}

/// What the device makes of a chunk, and how that is a Reduction's partial. Smallest values and
/// their places are one kernel, and so are exact sums and means.
template <class T, class Op, class Acc>
struct on_device {
  using result = Acc;
  static constexpr std::size_t work_bytes = reduce_workspace_bytes<result>();
  static status into(const device_place auto& where, std::span<const T> values, Acc* out) {
    return reduce_into(where, values, out, Op::template identity<Acc>(), Op{});
  }
  static Acc partial(const Acc& r, std::uint64_t /*first*/) { return r; }
};
template <class T, class Op>
struct place_on_device {
  using result = position<T>;
  static constexpr std::size_t work_bytes = reduce_workspace_bytes<result>();
  static status into(const device_place auto& where, std::span<const T> values, position<T>* out) {
    if constexpr (std::is_same_v<Op, minimum>)
      return argmin_into(where, values, out);
    else
      return argmax_into(where, values, out);
  }
};

template <class Reduction>
struct device_reduction;
template <class T, class Op, class Acc>
struct device_reduction<reduce_by<T, Op, Acc>> : on_device<T, Op, Acc> {};
template <class T>
struct device_reduction<mean_of<T>> : on_device<T, plus, double> {};
template <class T>
struct device_reduction<reduce_by<T, minimum, T>> : place_on_device<T, minimum> {
  static T partial(const position<T>& r, std::uint64_t /*first*/) { return r.value; }
};
template <class T>
struct device_reduction<reduce_by<T, maximum, T>> : place_on_device<T, maximum> {
  static T partial(const position<T>& r, std::uint64_t /*first*/) { return r.value; }
};
template <class T, class Op>
struct device_reduction<place_of<T, Op>> : place_on_device<T, Op> {
  static position<T> partial(position<T> r, std::uint64_t first) {
    r.index += first;
    return r;
  }
};
template <class T>
struct device_reduction<statistics_of<T>> {
  using result = detail::moments<T>;
  static constexpr std::size_t work_bytes = reduce_workspace_bytes<result>();
  static status into(const device_place auto& where, std::span<const T> values, result* out) {
    using op = detail::moments_op<T>;
    return transform_reduce_into(where, values, out, op::template identity<T>(), op{},
                                 detail::to_moments<T>{});
  }
  static summary<T> partial(const result& r, std::uint64_t first) {
    auto all = detail::summarise(r);
    all.min.index += first;
    all.max.index += first;
    return all;
  }
};
template <class T, bool Mean>
struct device_reduction<exactly<T, Mean>> {
  using result = exact_accumulator<T>;
  static constexpr std::size_t work_bytes = exact_workspace_bytes<T>();
  static status into(const device_place auto& where, std::span<const T> values, result* out) {
    return exact_accumulate_into(where, values, out);
  }
  static result partial(const result& r, std::uint64_t /*first*/) { return r; }
};

struct device_engine {
  template <class Reduction>
  static std::optional<typename Reduction::partial> reduce(data::number_input& in,
                                                           const files::run_options& o,
                                                           std::uint64_t& bytes) {
    using T = typename Reduction::value;
    using device = device_reduction<Reduction>;
    using result = typename device::result;
    pinned_memory room;
    pipeline line(device_line(o, in, reduced_chunk_bytes, 1, room));
    std::vector<result, std::pmr::polymorphic_allocator<result>> mine(line.slots(), &room);
    workspace memory(device::work_bytes);
    device_stage stage(line, sizeof(result));  // goes first, and waits for what uses the rest
    std::mutex sending, mutex;
    std::vector<std::optional<typename Reduction::partial>> partial;  // in the order of the chunks
    const auto done = files::run_watched(
        o, "reducing", line,
        {.read = files::reader_of(in, o),
         .read_in_order = in.in_order(),
         .work =
             [&](const pipeline::chunk& c) {
               const std::scoped_lock lock(sending);
               stage.enqueue_chunk(c, {&mine[c.slot], sizeof(result)},
                                   [&](std::byte* from, std::byte* to, detail::stream_type stream) {
                                     const std::span values(reinterpret_cast<const T*>(from),
                                                            c.bytes.size() / sizeof(T));
                                     device::into(warpfold::device.on(stream).with(memory), values,
                                                  reinterpret_cast<result*>(to))
                                         .throw_if_failed("a reduction on the device");
                                   });
             },
         .finish =
             [&](const pipeline::chunk& c) {
               stage.wait(c);
               const auto p = device::partial(mine[c.slot], c.offset / sizeof(T));
               const std::scoped_lock lock(mutex);
               if (partial.size() <= c.index) partial.resize(c.index + 1);
               partial[c.index] = p;
             }},
        in.bytes());
    say_if_refused(o, room);
    bytes = done.bytes;
    std::optional<typename Reduction::partial> all;
    for (const auto& p : partial) all = all ? Reduction::join(*all, *p) : p;
    return all;
  }
};

/// A chunk's values stand behind what comes before them, so that one inclusive scan makes the
/// prefixes of both kinds, and the last of them goes before the next chunk's values.
struct device_scan {
  template <class Reduction, class Out>
  static std::uint64_t scan(data::number_input& in, const files::scan_request& request,
                            const files::run_options& o) {
    using T = typename Reduction::value;
    using Acc = typename Reduction::partial;
    using op = typename Reduction::op;
    constexpr bool in_place = sizeof(Out) == sizeof(T), narrows = !std::is_same_v<Out, Acc>;
    pinned_memory room;
    pipeline line(
        device_line(o, in, scanned_chunk_bytes, in_place ? 1 : 1 + sizeof(Out) / sizeof(T), room));
    const std::size_t most = line.chunk_bytes() / sizeof(T);
    // Prefixes of Acc, and behind them, where these are not what is written, those of Out.
    const std::size_t narrow_at = (most + 1) * sizeof(Acc);
    std::vector<std::pmr::vector<Out>> wide_room;
    for (unsigned i = 0; i < line.slots() && !in_place; ++i) wide_room.emplace_back(most, &room);
    const auto prefixes = [&](const pipeline::chunk& c) {
      return in_place ? reinterpret_cast<Out*>(c.bytes.data()) : wide_room[c.slot].data();
    };
    detail::device_value<Acc> carry(Reduction::identity());
    // Goes first, and waits for what still uses the rest.
    device_stage stage(line, narrow_at + (narrows ? most * sizeof(Out) : 0));
    const auto enqueue = [&](std::size_t n, std::byte* from, std::byte* to,
                             detail::stream_type stream) {
      auto* const prefix = reinterpret_cast<Acc*>(to);
      const std::span all(prefix, n + 1);
      status state = detail::copy_async(prefix, carry.get(), sizeof(Acc), stream);
      if (state.ok())
        state = detail::convert_into(stream, reinterpret_cast<const T*>(from), n, prefix + 1);
      if (state.ok()) {
        state = inclusive_scan(device.on(stream), all, all, op{}, op::template identity<Acc>());
      }
      if (state.ok()) state = detail::copy_async(carry.get(), prefix + n, sizeof(Acc), stream);
      if constexpr (narrows) {
        const Acc* const wanted = prefix + (request.exclusive ? 0 : 1);
        if (state.ok())
          state = detail::convert_into(stream, wanted, n, reinterpret_cast<Out*>(to + narrow_at));
      }
      state.throw_if_failed("a scan on the device");
    };
    const auto done = files::run_watched(
        o, "scanning", line,
        {.read = files::reader_of(in, o),
         .read_in_order = in.in_order(),
         .in_order =
             [&](const pipeline::chunk& c) {
               const std::size_t n = c.bytes.size() / sizeof(T);
               const std::size_t at = narrows ? narrow_at : request.exclusive ? 0 : sizeof(Acc);
               stage.enqueue_chunk(c, {prefixes(c), n * sizeof(Out), at},
                                   [&](std::byte* from, std::byte* to, detail::stream_type stream) {
                                     enqueue(n, from, to, stream);
                                   });
             },
         .finish = [&](const pipeline::chunk& c) { stage.wait(c); },
         .write =
             [&](const pipeline::chunk& c) {
               write_prefixes<T>(request, c.offset / sizeof(T), c, prefixes(c));
             },
         .write_in_order = request.to.in_order()},
        in.bytes());
    say_if_refused(o, room);
    return done.bytes / sizeof(T);
  }
};

}  // namespace reductions
}  // namespace warpfold::inline WARPFOLD_MACHINE
