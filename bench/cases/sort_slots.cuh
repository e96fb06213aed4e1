// Keys and items to sort on a device, made anew before each sample, and the checks of a result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bench/harness/device_timer.cuh"
#include "warpfold/order.hpp"

namespace warpfold::bench {

struct sort_check {
  unsigned wrong;
  unsigned long long checksum;
};

/// Items of so many bytes, which no integer is.
template <std::size_t Bytes>
struct alignas(16) large_item {
  std::uint32_t word[Bytes / 4];
};

/// The item of that number.
template <class Item>
__device__ Item item_of(std::uint64_t number) {
  if constexpr (std::is_integral_v<Item>) {
    return static_cast<Item>(number);
  } else {
    Item item;
    for (std::uint32_t& w : item.word) w = static_cast<std::uint32_t>(number++);
    return item;
  }
}
template <class Item>
__device__ std::uint64_t number_of(const Item& item) {
  if constexpr (std::is_integral_v<Item>) {
    return item;
  } else {
    return item.word[0];
  }
}
template <class Item>
__device__ bool are_same(const Item& a, const Item& b) {
  if constexpr (std::is_integral_v<Item>) {
    return a == b;
  } else {
    bool same = true;
    for (unsigned i = 0; i < sizeof(Item) / 4; ++i) same = same && a.word[i] == b.word[i];
    return same;
  }
}
/// Items too small for the number of a row have bits of their key.
template <class Item>
inline constexpr bool has_number = sizeof(Item) >= 4;

/// Keys ascend; each stands by the number of its place before, and equal ones in their order.
template <class K, class Item>
__global__ void check_sort_kernel(const K* keys, const Item* items, const K* before, std::size_t n,
                                  sort_check* check) {
  unsigned long long sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const auto key = rank_of(keys[i]);
    bool wrong = i > 0 && key < rank_of(keys[i - 1]);
    if (items != nullptr) {
      if constexpr (has_number<Item>) {
        const std::uint64_t number = number_of(items[i]);
        wrong = wrong || number >= n || rank_of(before[number]) != key ||
                !are_same(items[i], item_of<Item>(number)) ||
                (i > 0 && key == rank_of(keys[i - 1]) && number <= number_of(items[i - 1]));
      } else {
        wrong = wrong || items[i] != item_of<Item>(mixed(key));
      }
    }
    if (wrong) check->wrong = 1;
    sum += mixed(key) - mixed(rank_of(before[i]));
  }
  atomicAdd(&check->checksum, sum);
}

template <class K>
struct random_keys {
  std::uint64_t seed;
  __device__ K operator()(std::size_t i) const { return any_number<K>(seed, i); }
};
template <class K, class Item>
struct items_of_keys {
  random_keys<K> keys;
  std::size_t key_step, step;  // from slot to slot
  __device__ Item operator()(std::size_t i) const {
    const std::size_t row = i % step;
    return item_of<Item>(has_number<Item> ? row : mixed(rank_of(keys(i / step * key_step + row))));
  }
};

/// As many slots as a graph has calls, of n random keys and their items each; a workspace.
template <class K, class Item = std::uint32_t>
class sort_slots {
 public:
  sort_slots(device_place& place, std::size_t n, bool with_items, std::uint64_t seed,
             std::size_t workspace_bytes)
      : n(n),
        where(place),
        count(std::clamp<std::size_t>((std::size_t{1} << 30) / (n * sizeof(K)), 1,
                                      n <= std::size_t{1} << 20 ? 64 : 16)),
        keys(n, count),
        items(with_items ? n : 0, count),
        work(workspace_bytes),
        keys_before_(n, count),
        items_before_(with_items ? n : 0, count),
        checks_(count) {
    const random_keys<K> random{seed};
    fill(keys_before_.all(), random, where.stream());
    if (with_items) {
      const items_of_keys<K, Item> of_keys{random, keys_before_.step(), items_before_.step()};
      fill(items_before_.all(), of_keys, where.stream());
    }
  }

  [[nodiscard]] slots as_slots() const {
    return {.count = count,
            .calls_per_graph = count,
            .renew =
                [this] {
                  restore(keys, keys_before_);
                  restore(items, items_before_);
                },
            .check = [this](std::size_t, std::size_t end) { return wrong(end); }};
  }

  /// What a slot has before it is sorted, where sorts out of place read it.
  [[nodiscard]] const K* keys_before(std::size_t slot) const { return keys_before_(slot); }
  [[nodiscard]] const Item* items_before(std::size_t slot) const { return items_before_(slot); }

  std::size_t n;
  device_place& where;
  std::size_t count;
  slot_buffer<K> keys;
  slot_buffer<Item> items;  // none of them, or n a slot
  device_buffer<char> work;

 private:
  template <class T>
  void restore(const slot_buffer<T>& to, const slot_buffer<T>& from) const {
    if (to.all().size() == 0) return;
    cuda_check(
        cudaMemcpyAsync(to(0), from(0), to.all().bytes(), cudaMemcpyDeviceToDevice, where.stream()),
        "restore what is to be sorted");
  }
  [[nodiscard]] mistakes wrong(std::size_t end) const {
    checks_.set_bytes(0, where.stream());
    for (std::size_t i = 0; i < end; ++i) {
      check_sort_kernel<<<1024, 256, 0, where.stream()>>>(
          keys(i), items.step() == 0 ? nullptr : items(i), keys_before_(i), n, checks_.data() + i);
    }
    cuda_check(cudaGetLastError(), "check the sorts");
    mistakes all;
    for (const sort_check& c : checks_.on_host(end, where.stream())) {
      all += one_result(c.wrong == 0 && c.checksum == 0);
    }
    return all;
  }

  slot_buffer<K> keys_before_;
  slot_buffer<Item> items_before_;
  device_buffer<sort_check> checks_;
};

}  // namespace warpfold::bench
