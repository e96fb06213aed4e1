// Reductions of a 2-D file along one axis, on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "files/canonical.hpp"
#include "files/host_engine.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace reductions {

/// The partials of one chunk, of neighbouring results (modulo their number).
template <class Partial>
struct stretch_of_results {
  std::uint64_t first = 0;
  bool continues = false;  // along the columns: the first was begun by an earlier chunk
  std::vector<Partial> partial;
};

/// Along the columns (axis 1): neighbouring rows, the first and last of which may be cut.
template <class Reduction, class T>
void reduce_chunk_rows(std::span<const T> values, std::uint64_t begin, std::uint64_t columns,
                       stretch_of_results<typename Reduction::partial>& out) {
  out.first = begin / columns;
  out.continues = begin % columns != 0;
  out.partial.clear();
  for (std::size_t i = 0; i < values.size();) {
    const std::uint64_t column = (begin + i) % columns;
    const std::size_t n = std::min<std::uint64_t>(columns - column, values.size() - i);
    out.partial.push_back(n == 1 ? Reduction::one(values[i], column)
                                 : partial_of(Reduction{}, values.subspan(i, n), column));
    i += n;
  }
}

/// Along the rows (axis 0): each column that the chunk touches.
template <class Reduction, class T>
void reduce_chunk_columns(std::span<const T> values, std::uint64_t begin, std::uint64_t columns,
                          stretch_of_results<typename Reduction::partial>& out) {
  out.first = begin % columns;
  out.partial.clear();
  for (std::size_t i = 0; i < values.size();) {
    const std::uint64_t row = (begin + i) / columns;
    const std::size_t n = std::min<std::uint64_t>(columns, values.size() - i);
    for (std::size_t j = 0; j < n; ++j, ++i) {
      const std::uint64_t index = row + (out.first + j >= columns ? 1 : 0);
      if (out.partial.size() <= j) {
        out.partial.push_back(Reduction::one(values[i], index));
      } else if constexpr (requires { Reduction::append(out.partial[j], values[i]); }) {
        Reduction::append(out.partial[j], values[i]);
      } else {
        out.partial[j] = Reduction::join(out.partial[j], Reduction::one(values[i], index));
      }
    }
  }
}

/// The results, at most, that a chunk has values of: `neighbours` of each stand side by side.
template <class T>
std::size_t results_of_chunk(std::uint64_t results, std::uint64_t neighbours) {
  constexpr std::uint64_t values = files::host_chunk_bytes / sizeof(T);
  return std::min(results, values / std::max<std::uint64_t>(neighbours, 1) + 2);
}

template <class T>
files::reduced_axis reduce_axis_of(data::number_input& in, reduction op, unsigned axis,
                                   const files::run_options& o) {
  const std::uint64_t rows = in.shape()[0], columns = in.shape()[1];
  const std::uint64_t results = axis == 0 ? columns : rows, each = axis == 0 ? rows : columns;
  const auto reduce = [&]<class Reduction>(Reduction) -> files::reduced_axis {
    if constexpr (!requires { typename Reduction::axis_result; }) {
      throw usage_error("--op " + std::string(name_of(op)) +
                        " reduces all elements; leave --axis out");
    } else {
      using partial = typename Reduction::partial;
      using result = typename Reduction::axis_result;
      if (each == 0 && results > 0 && !Reduction::of_nothing) {
        throw data_error(in.name() + ": has no values along axis " + std::to_string(axis) +
                         ", and --op " + std::string(name_of(op)) + " of no values is undefined");
      }
      const std::size_t chunk_results = results_of_chunk<T>(results, axis == 0 ? 1 : columns);
      const std::size_t lane_bytes = files::host_chunk_bytes + 2 * chunk_results * sizeof(partial);
      const std::size_t all_bytes = results * (sizeof(partial) + sizeof(result));
      if (results > o.memory / (sizeof(partial) + sizeof(result)) ||
          all_bytes + lane_bytes > o.memory) {
        throw usage_error("--axis " + std::to_string(axis) + ": the " + std::to_string(results) +
                          " results need " + std::to_string((all_bytes + lane_bytes) >> 20) +
                          " MiB; give more --memory");
      }
      auto left = o;
      left.memory -= all_bytes;
      std::vector<partial> total(results, Reduction::identity());
      if (results > 0 && each > 0) {
        pipeline line({.chunk_bytes = files::host_chunk_bytes,
                       .slots = files::slots_for(left, in, files::host_chunk_bytes, lane_bytes),
                       .stop = o.stop});
        std::vector<stretch_of_results<partial>> mine(line.slots());
        files::run_watched(
            o, "reducing", line,
            {.read = files::reader_of(in, o),
             .read_in_order = in.in_order(),
             .work =
                 [&](const pipeline::chunk& c) {
                   const auto reduce = axis == 0 ? reduce_chunk_columns<Reduction, T>
                                                 : reduce_chunk_rows<Reduction, T>;
                   reduce(files::values_in<T>(c), c.offset / sizeof(T), columns, mine[c.slot]);
                 },
             .in_order =
                 [&](const pipeline::chunk& c) {
                   const auto& s = mine[c.slot];
                   for (std::size_t j = 0; j < s.partial.size(); ++j) {
                     // Rows: only the first was begun before. Columns: all up to the first row's
                     // end.
                     const bool begun =
                         axis == 0 ? c.offset / sizeof(T) + j >= columns : s.continues && j == 0;
                     partial& to = total[(s.first + j) % results];
                     to = begun ? Reduction::join(to, s.partial[j]) : s.partial[j];
                   }
                 }},
            in.bytes());
      }
      files::reduced_axis out{data::type_of<result>(), {}};
      out.bytes.resize(results * sizeof(result));
      for (std::size_t i = 0; i < results; ++i) {
        const result value = Reduction::finish(total[i], each);
        std::memcpy(out.bytes.data() + i * sizeof value, &value, sizeof value);
      }
      return out;
    }
  };
  return o.gpu_to_gpu ? with_canonical_axis<T>(op, reduce) : with_reduction<T>(op, reduce);
}

}  // namespace reductions
}  // namespace warpfold::inline WARPFOLD_MACHINE
