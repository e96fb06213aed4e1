// Sorts on the host, beside std::sort: of keys, and of keys with an item each. std's sort takes
// pairs of both.
#include <algorithm>
#include <cstring>
#include <execution>

#include <fmt/format.h>

#include "bench/contest/host_contest.hpp"
#include "bench/contest/host_memory.hpp"
#include "bench/contest/numbers.hpp"
#include "warpfold/host/sort.hpp"

namespace warpfold::bench {
namespace {

template <class K>
struct row {
  K key;
  std::uint32_t item;
};

/// Looks at sorted rows by key(i) and item(i), which must be the place of the key before.
template <class K, class Order, class Key, class Item>
std::string first_mistake(const K* before, std::size_t n, bool pairs, Key key, Item item) {
  std::uint64_t checksum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && Order{}(key(i), key(i - 1))) return fmt::format("key {} is out of order", i);
    if (pairs && (item(i) >= n || rank_of(before[item(i)]) != rank_of(key(i)))) {
      return fmt::format("item {} is not that of its key", i);
    }
    checksum += mixed(rank_of(key(i))) - mixed(rank_of(before[i]));
    if (pairs) checksum += mixed(item(i)) - mixed(i);
  }
  return checksum == 0 ? "" : "other keys or items came out than went in";
}

template <class K, class Order>
std::vector<measure::measurement> run_as(const problem& p, std::span<const std::string> against) {
  const std::size_t n = p.n, contestants = 1 + against.size();
  // Slots take turns like the contestants, so that each slot is of one contestant's kind.
  std::size_t slots = slots_of(n * sizeof(row<K>), calls_of(p, against));
  slots = (slots + contestants - 1) / contestants * contestants;
  const auto is_ours = [=](std::size_t slot) { return slot % contestants == 0; };
  slot_memory<K> before(n, 1), keys(n, slots);
  slot_memory<std::uint32_t> items(p.pairs ? n : 0, slots);
  slot_memory<row<K>> rows(p.pairs && contestants > 1 ? n : 0, slots);
  before.fill([&](std::size_t i) { return any_number<K>(p.seed, i); });
  const K* const first = before.slot(0);

  std::vector<host_contestant> all{{"warpfold", [&](std::size_t slot) {
                                      const std::span<K> k(keys.slot(slot), n);
                                      if (p.pairs) {
                                        sort_by_key(host, k, std::span(items.slot(slot), n),
                                                    Order{});
                                      } else {
                                        sort(host, k, Order{});
                                      }
                                    }}};
  if (against_tbb(against)) {
    all.push_back({"tbb", [&](std::size_t slot) {
                     const auto& par = std::execution::par;
                     K* const k = keys.slot(slot);
                     row<K>* const r = rows.slot(slot);
                     if (p.pairs) {
                       std::sort(par, r, r + n,
                                 [](const row<K>& a, const row<K>& b) { return a.key < b.key; });
                     } else {
                       std::sort(par, k, k + n);
                     }
                   }});
  }
  const auto renew = [&] {
    keys.fill([=](std::size_t i) { return first[i % n]; });
    items.fill([=](std::size_t i) { return static_cast<std::uint32_t>(i % n); });
    rows.fill([=](std::size_t i) {
      return row<K>{first[i % n], static_cast<std::uint32_t>(i % n)};
    });
  };
  const auto mistake = [&](std::size_t slot) {
    const K* const k = keys.slot(slot);
    const std::uint32_t* const item = items.slot(slot);
    const row<K>* const r = rows.slot(slot);
    if (p.pairs && !is_ours(slot)) {
      return first_mistake<K, Order>(
          first, n, true, [=](std::size_t i) { return r[i].key; },
          [=](std::size_t i) { return r[i].item; });
    }
    return first_mistake<K, Order>(
        first, n, p.pairs, [=](std::size_t i) { return k[i]; },
        [=](std::size_t i) { return item[i]; });
  };
  return time_on_host(p, {slots, renew, mistake}, all);
}

}  // namespace

std::vector<measure::measurement> run_host_sort(const problem& p,
                                                std::span<const std::string> against) {
  return with_keys(p, [&]<class K, class Order>() { return run_as<K, Order>(p, against); });
}

}  // namespace warpfold::bench
