// Sorts on the host, beside std::sort: of keys, and of keys with an item each. std's sort takes
// pairs of both.
#include <algorithm>
#include <cstring>
#include <execution>

#include <fmt/format.h>

#include "bench/cases/host_cases.hpp"
#include "bench/harness/host_memory.hpp"
#include "bench/harness/numbers.hpp"
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
mistakes first_mistake(const K* before, std::size_t n, const bench_case& c, Key key, Item item) {
  std::uint64_t checksum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && Order{}(key(i), key(i - 1))) {
      return one_result(false, fmt::format("key {} is out of order", i));
    }
    if (c.pairs && (item(i) >= n || rank_of(before[item(i)]) != rank_of(key(i)))) {
      return one_result(false, fmt::format("item {} is not that of its key", i));
    }
    if (c.stable && i > 0 && !Order{}(key(i - 1), key(i)) && item(i) < item(i - 1)) {
      return one_result(false, fmt::format("item {} overtook an equal key's", i));
    }
    checksum += mixed(rank_of(key(i))) - mixed(rank_of(before[i]));
    if (c.pairs) checksum += mixed(item(i)) - mixed(i);
  }
  return one_result(checksum == 0, "other keys or items came out than went in");
}

template <class K, class Order>
measurements run_as(const bench_case& c, std::span<const std::string> against,
                    std::span<const key_sorter> others) {
  const std::size_t n = c.n;
  const std::size_t count =
      host_slots_of(n * sizeof(row<K>), calls_of(c, 1 + against.size() + others.size()));
  const bool tbb = is_asked(against, "tbb");
  slot_memory<K> before(n, 1), keys(n, count);
  slot_memory<std::uint32_t> items(c.pairs ? n : 0, count);
  slot_memory<row<K>> rows(c.pairs && tbb ? n : 0, count);
  before.fill([&](std::size_t i) { return any_number<K>(c.seed, i); });
  const K* const first = before.slot(0);

  std::vector<candidate> all{{c.record("warpfold"), [&](std::size_t slot) {
                                const std::span<K> k(keys.slot(slot), n);
                                const std::span<std::uint32_t> item(items.slot(slot), n);
                                if (c.stable) {
                                  stable_sort_by_key(host, k, item, Order{});
                                } else if (c.pairs) {
                                  sort_by_key(host, k, item, Order{});
                                } else {
                                  sort(host, k, Order{});
                                }
                              }}};
  if (tbb && c.pairs) {
    const auto run = [&](std::size_t slot) {
      const auto by_key = [](const row<K>& a, const row<K>& b) { return a.key < b.key; };
      row<K>* const r = rows.slot(slot);
      if (c.stable) {
        std::stable_sort(std::execution::par, r, r + n, by_key);
      } else {
        std::sort(std::execution::par, r, r + n, by_key);
      }
    };
    const auto check = [&](std::size_t slot, std::size_t) {
      const row<K>* const r = rows.slot(slot);
      return first_mistake<K, Order>(
          first, n, c, [=](std::size_t i) { return r[i].key; },
          [=](std::size_t i) { return r[i].item; });
    };
    all.push_back({c.record("tbb"), run, true, check});
  } else if (tbb) {
    all.push_back({c.record("tbb"), [&](std::size_t slot) {
                     K* const k = keys.slot(slot);
                     if (c.order == key_order::own) {
                       std::sort(std::execution::par, k, k + n, own_less{});
                     } else {
                       std::sort(std::execution::par, k, k + n);
                     }
                   }});
  }
  for (const key_sorter& other : others) {
    all.push_back({c.record(other.name),
                   [&, other](std::size_t slot) { other.sort(c.type, keys.slot(slot), n); }});
  }
  const auto renew = [&] {
    keys.fill([=](std::size_t i) { return first[i % n]; });
    items.fill([=](std::size_t i) { return static_cast<std::uint32_t>(i % n); });
    rows.fill([=](std::size_t i) {
      return row<K>{first[i % n], static_cast<std::uint32_t>(i % n)};
    });
  };
  const auto check = [&](std::size_t slot, std::size_t) {
    const K* const k = keys.slot(slot);
    const std::uint32_t* const item = items.slot(slot);
    return first_mistake<K, Order>(
        first, n, c, [=](std::size_t i) { return k[i]; }, [=](std::size_t i) { return item[i]; });
  };
  return time_on_host(c.samples, {.count = count, .renew = renew, .check = check}, all);
}

}  // namespace

measurements run_host_sort(const bench_case& c, std::span<const std::string> against,
                           std::span<const key_sorter> others) {
  return with_keys(c, [&]<class K, class Order>() { return run_as<K, Order>(c, against, others); });
}

}  // namespace warpfold::bench
