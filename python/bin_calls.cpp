// Histograms.
#include "c/bin_calls.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include "c/table_of.hpp"
#include "python/arrays.hpp"

namespace warpfold::python {
namespace {

using namespace nb::literals;
using namespace warpfold::erased;

bins bins_of(const input& x, const input& edges, std::size_t even, std::size_t room) {
  const wf_type type = type_of(edges), own = type_of(x);
  const bool right =
      even == 0 ? edges.size() == room + 1 && type == own
                : edges.size() == 2 && even == room && (type == WF_F64 || type == wide_type(own));
  require(right, "shapes or types don't fit");
  return {type, edges.data(), edges.size(), even};
}

void histogram(const input& x, const input& edges, std::size_t even, const output& counts) {
  const bins given = bins_of(x, edges, even, counts.size());
  const wf_type type = type_of(x);
  require(counts.itemsize() == 8, "types don't fit");
  run(bytes_of(x), [&] {
    table_of<bin_calls>(type).histogram(
        x.data(), x.size(), given, {static_cast<std::uint64_t*>(counts.data()), counts.size()});
  });
}

void weighted_histogram(const input& x, const input& edges, std::size_t even, const input& weights,
                        const output& sums) {
  const bins given = bins_of(x, edges, even, sums.size());
  const wf_type type = type_of(x), summed = type_of(weights);
  require(weights.size() == x.size() && type_of(sums) == summed && summed >= WF_U64,
          "shapes or types don't fit");
  run(bytes_of(x), [&] {
    table_of<bin_calls>(type).weighted_histogram(x.data(), x.size(), given,
                                                 {summed, weights.data(), sums.data()});
  });
}

auto bincount(const input& x, std::size_t minimum) {
  const auto& calls = table_of<bin_calls>(type_of(x));
  if (calls.bincount == nullptr) throw nb::type_error("bincount takes integers");
  auto counts = std::make_unique<std::vector<std::uint64_t>>();
  run(bytes_of(x), [&] { *counts = calls.bincount(x.data(), x.size(), minimum); });
  auto* const data = counts->data();
  const std::size_t size = counts->size();
  const nb::capsule owner(
      counts.get(), [](void* p) noexcept { delete static_cast<std::vector<std::uint64_t>*>(p); });
  counts.release();
  return nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(data, {size}, owner);
}

}  // namespace

void define_bin_calls(nb::module_& m) {
  m.def("histogram", histogram, "x"_a.noconvert(), "edges"_a.noconvert(), "even"_a,
        "counts"_a.noconvert());
  m.def("weighted_histogram", weighted_histogram, "x"_a.noconvert(), "edges"_a.noconvert(),
        "even"_a, "weights"_a.noconvert(), "sums"_a.noconvert());
  m.def("bincount", bincount, "x"_a.noconvert(), "minimum"_a);
}

}  // namespace warpfold::python
