// The same sorts of keys with Highway inside, and Highway's own, which uses one thread.
#include "bench/host/sorts.hpp"
#include "warpfold/host/sort.hpp"

namespace warpfold::bench {
namespace {

template <class T>
void add_of(std::vector<job>& jobs, std::size_t n) {
  sort_jobs<T> sorts(jobs, n);
  sorts.add("keys", "warpfold with Highway", [](auto& keys) { sort(host, keys); });
  sorts.add("keys", "hwy::Sorter, one thread",
            [](auto& keys) { hwy::Sorter()(keys.data(), keys.size(), hwy::SortAscending()); });
}

}  // namespace

void add_highway_sorts(std::vector<job>& jobs, const sizes& s) {
  add_of<std::uint32_t>(jobs, s.keys);
  add_of<float>(jobs, s.keys);
  add_of<std::uint64_t>(jobs, s.keys);
}

}  // namespace warpfold::bench
