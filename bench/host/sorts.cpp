// Sorts, beside std's: keys alone, by any order, and with an item each.
#include "bench/host/sorts.hpp"

#include <numeric>

#include "warpfold/host/sort.hpp"

namespace warpfold::bench {
namespace {

template <class T>
void add_of(std::vector<job>& jobs, std::size_t n) {
  sort_jobs<T> sorts(jobs, n);
  sorts.add("keys", "warpfold", [](auto& keys) { sort(host, keys); });
  sorts.add("keys", "std::sort(par)",
            [](auto& keys) { std::sort(std::execution::par, keys.begin(), keys.end()); });
  const auto order = [](T a, T b) { return a < b; };
  sorts.add("comparator", "warpfold", [=](auto& keys) { sort(host, keys, order); });
  sorts.add("comparator", "std::sort(par)",
            [=](auto& keys) { std::sort(std::execution::par, keys.begin(), keys.end(), order); });
}

struct pair {
  std::uint32_t key, item;
};

void add_pairs(std::vector<job>& jobs, std::size_t n) {
  const auto keys = random_keys<std::uint32_t>(n);
  const auto rows = std::make_shared<std::vector<pair>>(n);
  for (std::size_t i = 0; i < n; ++i) (*rows)[i] = {(*keys)[i], static_cast<std::uint32_t>(i)};
  const auto by_key = [](const pair& a, const pair& b) { return a.key < b.key; };
  auto sorted = std::make_shared<std::vector<pair>>(*rows);
  std::stable_sort(std::execution::par, sorted->begin(), sorted->end(), by_key);
  measure::measurement row;
  row.ladder = "sort", row.op = "ascending", row.form = "stable, with u32 items", row.type = "u32";
  row.n = n, row.useful_bytes = n * sizeof(pair);

  const auto key = std::make_shared<std::vector<std::uint32_t>>();
  const auto item = std::make_shared<std::vector<std::uint32_t>>(n);
  row.name = "warpfold";
  jobs.push_back({row,
                  [=] {
                    *key = *keys;
                    std::iota(item->begin(), item->end(), 0U);
                  },
                  [=] { stable_sort_by_key(host, *key, *item); },
                  [=] {
                    for (std::size_t i = 0; i < n; ++i) {
                      const pair& p = (*sorted)[i];
                      if ((*key)[i] != p.key || (*item)[i] != p.item) return false;
                    }
                    return true;
                  }});
  const auto work = std::make_shared<std::vector<pair>>();
  row.name = "std::stable_sort(par)";
  jobs.push_back(
      {row, [=] { *work = *rows; },
       [=] { std::stable_sort(std::execution::par, work->begin(), work->end(), by_key); },
       [=] { return std::memcmp(work->data(), sorted->data(), row.useful_bytes) == 0; }});
}

}  // namespace

void add_sorts(std::vector<job>& jobs, const sizes& s) {
  add_of<std::uint32_t>(jobs, s.keys);
  add_of<float>(jobs, s.keys);
  add_of<std::uint64_t>(jobs, s.keys);
  add_pairs(jobs, s.keys);
}

}  // namespace warpfold::bench
