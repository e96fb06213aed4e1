// Calls on segments.
#include "c/segment_calls.hpp"

#include <cstdint>
#include <optional>

#include "c/table_of.hpp"
#include "python/arrays.hpp"

namespace warpfold::python {
namespace {

using namespace nb::literals;
using namespace warpfold::erased;

segment_offsets offsets_of(const input& offsets) {
  require(type_of(offsets) == WF_I64, "offsets are int64");
  return {static_cast<const std::int64_t*>(offsets.data()), offsets.size()};
}

void segmented_reduce(const input& x, int op, const input& offsets,
                      const std::optional<input>& init, const output& out, bool gpu_to_gpu) {
  const wf_type type = type_of(x);
  const segment_offsets ends = offsets_of(offsets);
  require(type_of(out) == type && out.size() == (ends.empty() ? 0 : ends.size() - 1),
          "shapes or types don't fit");
  const void* const first = init_of(init, type);
  run(bytes_of(x), [&] {
    table_of<segment_calls>(type).reduce(at(gpu_to_gpu), static_cast<wf_op>(op), x.data(), x.size(),
                                         ends, first, out.data());
  });
}

template <void (*segment_calls::*Find)(const void*, std::size_t, segment_offsets, std::uint64_t*)>
void find_in_segments(const input& x, const input& offsets, const output& indices) {
  const wf_type type = type_of(x);
  const segment_offsets ends = offsets_of(offsets);
  require(indices.itemsize() == 8 && indices.size() == (ends.empty() ? 0 : ends.size() - 1),
          "shapes or types don't fit");
  run(bytes_of(x), [&] {
    (table_of<segment_calls>(type).*Find)(x.data(), x.size(), ends,
                                          static_cast<std::uint64_t*>(indices.data()));
  });
}

void segmented_scan(const output& x, int op, const input& offsets, bool exclusive,
                    const std::optional<input>& init, bool gpu_to_gpu) {
  const wf_type type = type_of(x);
  const segment_offsets ends = offsets_of(offsets);
  const void* const first = init_of(init, type);
  run(bytes_of(x), [&] {
    table_of<segment_calls>(type).scan(at(gpu_to_gpu), static_cast<wf_op>(op), x.data(), x.size(),
                                       ends, exclusive, first);
  });
}

void segmented_sort(const output& keys, const input& offsets, bool descending) {
  const wf_type type = type_of(keys);
  const segment_offsets ends = offsets_of(offsets);
  run(bytes_of(keys), [&] {
    table_of<segment_calls>(type).sort(keys.data(), keys.size(), ends, order_of(descending));
  });
}

void segmented_argsort(const input& keys, const input& offsets, bool descending,
                       const output& indices) {
  const wf_type type = type_of(keys);
  const segment_offsets ends = offsets_of(offsets);
  require(indices.size() == keys.size() && indices.itemsize() == 8, "shapes or types don't fit");
  run(bytes_of(keys), [&] {
    table_of<segment_calls>(type).argsort(keys.data(), keys.size(), ends, order_of(descending),
                                          static_cast<std::uint64_t*>(indices.data()));
  });
}

}  // namespace

void define_segment_calls(nb::module_& m) {
  m.def("segmented_reduce", segmented_reduce, "x"_a.noconvert(), "op"_a, "offsets"_a.noconvert(),
        "init"_a.none(), "out"_a.noconvert(), "gpu_to_gpu"_a);
  m.def("segmented_argmin", find_in_segments<&segment_calls::argmin>, "x"_a.noconvert(),
        "offsets"_a.noconvert(), "indices"_a.noconvert());
  m.def("segmented_argmax", find_in_segments<&segment_calls::argmax>, "x"_a.noconvert(),
        "offsets"_a.noconvert(), "indices"_a.noconvert());
  m.def("segmented_scan", segmented_scan, "x"_a.noconvert(), "op"_a, "offsets"_a.noconvert(),
        "exclusive"_a, "init"_a.none(), "gpu_to_gpu"_a);
  m.def("segmented_sort", segmented_sort, "keys"_a.noconvert(), "offsets"_a.noconvert(),
        "descending"_a);
  m.def("segmented_argsort", segmented_argsort, "keys"_a.noconvert(), "offsets"_a.noconvert(),
        "descending"_a, "indices"_a.noconvert());
}

}  // namespace warpfold::python
