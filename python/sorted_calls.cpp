// Merges, set operations and searches of sorted keys.
#include "c/sorted_calls.hpp"

#include <cstddef>
#include <cstdint>

#include "c/table_of.hpp"
#include "python/arrays.hpp"

namespace warpfold::python {
namespace {

using namespace nb::literals;
using namespace warpfold::erased;

two_ranges ranges_of(const input& a, const input& b) {
  require(type_of(a) == type_of(b), "types don't fit");
  return {a.data(), b.data(), a.size(), b.size()};
}

void merge(const input& a, const input& b, const output& out) {
  const two_ranges both = ranges_of(a, b);
  const wf_type type = type_of(out);
  require(type == type_of(a) && out.size() == both.n + both.m, "shapes or types don't fit");
  run(bytes_of(out), [&] { table_of<sorted_calls>(type).merge(both, out.data()); });
}

template <sorted_calls::set_operation sorted_calls::*Operation>
std::size_t call_on_sets(const input& a, const input& b, const output& out) {
  const two_ranges both = ranges_of(a, b);
  const wf_type type = type_of(out);
  require(type == type_of(a), "types don't fit");
  std::size_t count = 0;
  run(bytes_of(a) + bytes_of(b),
      [&] { count = (table_of<sorted_calls>(type).*Operation)(both, out.data(), out.size()); });
  return count;
}

template <void (*sorted_calls::*Search)(const two_ranges&, std::uint64_t*)>
void search(const input& keys, const input& needles, const output& indices) {
  const two_ranges both = ranges_of(keys, needles);
  const wf_type type = type_of(keys);
  require(indices.size() == both.m && indices.itemsize() == 8, "shapes or types don't fit");
  run(bytes_of(needles), [&] {
    (table_of<sorted_calls>(type).*Search)(both, static_cast<std::uint64_t*>(indices.data()));
  });
}

}  // namespace

void define_sorted_calls(nb::module_& m) {
  const auto takes_two = [&](const char* name, auto* call) {
    m.def(name, call, "a"_a.noconvert(), "b"_a.noconvert(), "out"_a.noconvert());
  };
  const auto searches = [&](const char* name, auto* call) {
    m.def(name, call, "keys"_a.noconvert(), "needles"_a.noconvert(), "indices"_a.noconvert());
  };
  takes_two("merge", merge);
  takes_two("set_union", call_on_sets<&sorted_calls::set_union>);
  takes_two("set_intersection", call_on_sets<&sorted_calls::set_intersection>);
  takes_two("set_difference", call_on_sets<&sorted_calls::set_difference>);
  takes_two("set_symmetric_difference", call_on_sets<&sorted_calls::set_symmetric_difference>);
  searches("lower_bound", search<&sorted_calls::lower_bound>);
  searches("upper_bound", search<&sorted_calls::upper_bound>);
}

}  // namespace warpfold::python
