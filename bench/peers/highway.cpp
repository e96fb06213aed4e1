// Only this source is compiled with Highway, so that one program measures sorts with it and
// without.
#include "bench/peers/highway.hpp"

#include "warpfold/error.hpp"
#include "warpfold/host/sort.hpp"

namespace warpfold::bench {
namespace {

template <class Sort>
void sort_as(value_type type, void* keys, std::size_t n, Sort sort_keys) {
  switch (type) {
    case value_type::u32: return sort_keys(std::span(static_cast<std::uint32_t*>(keys), n));
    case value_type::u64: return sort_keys(std::span(static_cast<std::uint64_t*>(keys), n));
    case value_type::f32: return sort_keys(std::span(static_cast<float*>(keys), n));
    default: throw usage_error("sorts are measured for u32, u64 and f32");
  }
}

constexpr key_sorter sorters[] = {
    {"warpfold with Highway",
     [](value_type type, void* keys, std::size_t n) {
       sort_as(type, keys, n, [](auto all) { sort(host, all); });
     }},
    {"hwy::Sorter, one thread", [](value_type type, void* keys, std::size_t n) {
       sort_as(type, keys, n,
               [](auto all) { hwy::Sorter()(all.data(), all.size(), hwy::SortAscending()); });
     }}};

}  // namespace

std::span<const key_sorter> highway_sorters() { return sorters; }

}  // namespace warpfold::bench
