// Runs of equal neighbours and selections.
#include "c/run_calls.hpp"

#include <cstdint>
#include <optional>

#include "c/table_of.hpp"
#include "python/arrays.hpp"

namespace warpfold::python {
namespace {

using namespace nb::literals;
using namespace warpfold::erased;

using flags = nb::ndarray<const std::uint8_t, nb::device::cpu, nb::c_contig>;

void begins(const input& x, const nb::ndarray<std::uint8_t, nb::device::cpu, nb::c_contig>& to) {
  require(x.size() == to.size(), "shapes don't fit");
  const wf_type type = type_of(x);
  run(bytes_of(x), [&] { table_of<run_calls>(type).begins(x.data(), x.size(), to.data()); });
}

void reduce_runs(const input& x, int op, const flags& begins, const output& out, bool gpu_to_gpu) {
  const wf_type type = type_of(x);
  require(x.size() == begins.size() && type_of(out) == type, "shapes or types don't fit");
  run(bytes_of(x), [&] {
    table_of<run_calls>(type).reduce(at(gpu_to_gpu), static_cast<wf_op>(op), begins.data(),
                                     x.data(), x.size(), out.size(), out.data());
  });
}

void scan_runs(const input& x, int op, const flags& begins, bool exclusive,
               const std::optional<input>& init, const output& out, bool gpu_to_gpu) {
  const wf_type type = type_of(x);
  require(x.size() == begins.size() && x.size() == out.size() && type_of(out) == type,
          "shapes or types don't fit");
  const void* const first = init_of(init, type);
  run(bytes_of(x), [&] {
    table_of<run_calls>(type).scan(at(gpu_to_gpu), static_cast<wf_op>(op), begins.data(), x.data(),
                                   x.size(), exclusive, first, out.data());
  });
}

void copy_those_flagged(const input& x, const flags& which, const output& out) {
  require(x.size() == which.size() && x.itemsize() == out.itemsize(), "shapes or types don't fit");
  run(bytes_of(x), [&] {
    copy_flagged(x.data(), which.data(), x.size(), x.itemsize(), out.size(), out.data());
  });
}

void lengths_of_runs(const flags& begins, const output& out) {
  require(type_of(out) == WF_I64, "lengths are int64");
  run(bytes_of(begins), [&] {
    run_lengths(begins.data(), begins.size(), out.size(), static_cast<std::uint64_t*>(out.data()));
  });
}

}  // namespace

void define_run_calls(nb::module_& m) {
  m.def("begins", begins, "x"_a.noconvert(), "to"_a.noconvert());
  m.def("reduce_runs", reduce_runs, "x"_a.noconvert(), "op"_a, "begins"_a.noconvert(),
        "out"_a.noconvert(), "gpu_to_gpu"_a);
  m.def("scan_runs", scan_runs, "x"_a.noconvert(), "op"_a, "begins"_a.noconvert(), "exclusive"_a,
        "init"_a.none(), "out"_a.noconvert(), "gpu_to_gpu"_a);
  m.def("copy_flagged", copy_those_flagged, "x"_a.noconvert(), "flags"_a.noconvert(),
        "out"_a.noconvert());
  m.def("run_lengths", lengths_of_runs, "begins"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace warpfold::python
