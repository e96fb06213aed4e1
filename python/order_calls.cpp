// The first keys and order statistics.
#include "c/order_calls.hpp"

#include <cstdint>
#include <span>

#include "c/table_of.hpp"
#include "python/arrays.hpp"

namespace warpfold::python {
namespace {

using namespace nb::literals;
using namespace warpfold::erased;

first_of_rows first_of(const input& x, std::size_t rows, std::size_t k, bool largest, bool sorted,
                       const output& out) {
  require(rows == 0 ? x.size() == 0 : x.size() % rows == 0, "shapes don't fit");
  require(out.size() == rows * k, "shapes don't fit");
  return {x.data(), rows, rows == 0 ? 0 : x.size() / rows, k, largest, sorted};
}

void top_k(const input& x, std::size_t rows, std::size_t k, bool largest, bool sorted,
           const output& out) {
  const first_of_rows first = first_of(x, rows, k, largest, sorted, out);
  const wf_type type = type_of(x);
  require(type_of(out) == type, "types don't fit");
  run(bytes_of(x), [&] {
    if (rows > 0) table_of<order_calls>(type).top_k(first, out.data());
  });
}

void argtop_k(const input& x, std::size_t rows, std::size_t k, bool largest, bool sorted,
              const output& indices) {
  const first_of_rows first = first_of(x, rows, k, largest, sorted, indices);
  const wf_type type = type_of(x);
  require(indices.itemsize() == 8, "types don't fit");
  run(bytes_of(x), [&] {
    if (rows == 0) return;
    table_of<order_calls>(type).argtop_k(first, static_cast<std::uint64_t*>(indices.data()));
  });
}

void nth_element(const input& x, std::size_t nth, const output& out) {
  const wf_type type = type_of(x);
  require(out.size() == 1 && type_of(out) == type, "shapes or types don't fit");
  run(bytes_of(x),
      [&] { table_of<order_calls>(type).nth_element(x.data(), x.size(), nth, out.data()); });
}

void quantiles(const input& x, const input& q, int how, const output& out) {
  const wf_type type = type_of(x);
  require(type_of(q) == WF_F64 && type_of(out) == WF_F64 && q.size() == out.size(),
          "shapes or types don't fit");
  run(bytes_of(x), [&] {
    table_of<order_calls>(type).quantiles(
        x.data(), x.size(), std::span(static_cast<const double*>(q.data()), q.size()),
        static_cast<interpolation>(how), static_cast<double*>(out.data()));
  });
}

}  // namespace

void define_order_calls(nb::module_& m) {
  m.def("top_k", top_k, "x"_a.noconvert(), "rows"_a, "k"_a, "largest"_a, "sorted"_a,
        "out"_a.noconvert());
  m.def("argtop_k", argtop_k, "x"_a.noconvert(), "rows"_a, "k"_a, "largest"_a, "sorted"_a,
        "indices"_a.noconvert());
  m.def("nth_element", nth_element, "x"_a.noconvert(), "nth"_a, "out"_a.noconvert());
  m.def("quantiles", quantiles, "x"_a.noconvert(), "q"_a.noconvert(), "how"_a, "out"_a.noconvert());
}

}  // namespace warpfold::python
