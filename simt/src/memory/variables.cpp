// __device__ and __constant__ variables. They are ordinary ones of the program; kernels' accesses
// to those of the device are told by address.
#include <map>
#include <mutex>

#include "simt/src/memory/arena.hpp"
#include "simt/src/check/shadow.hpp"
#include "simt/kernel.hpp"

namespace simt::detail {

extent device_variables;

namespace {

struct entry_of_variable {
  std::size_t bytes;
  const char* name;
  bool on_device;
};

struct table {
  std::mutex mutex;
  std::map<std::uintptr_t, entry_of_variable> all;  // by address
  std::vector<region> regions;  // the pages of those of the device, if not stale
  bool stale = false;
};

table& the_table() {
  static table t;
  return t;
}

/// The pages that these variables lie in, side by side as one.
std::vector<region> pages_of(const std::map<std::uintptr_t, entry_of_variable>& all) {
  std::vector<region> regions;
  for (const auto& [begin, what] : all) {
    if (!what.on_device) continue;
    const std::uintptr_t first = begin / page_bytes * page_bytes;
    const std::uintptr_t end = (begin + what.bytes + page_bytes - 1) / page_bytes * page_bytes;
    if (!regions.empty() && first <= regions.back().begin + regions.back().bytes) {
      regions.back().bytes = end - regions.back().begin;
    } else {
      regions.push_back({first, end - first, nullptr, {}});
    }
  }
  return regions;
}

}  // namespace

variable::variable(const volatile void* address, std::size_t bytes, const char* name, kind what) {
  // What a program starts with counts as written: touch it.
  const auto* const p = static_cast<const volatile unsigned char*>(address);
  for (std::size_t i = 0; i < bytes; i += 4096) static_cast<void>(p[i]);
  static_cast<void>(p[bytes - 1]);
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  t.all[begin] = {bytes, name, what == device};
  t.stale = true;
  if (what != device) return;
  extent& e = device_variables;
  const std::uintptr_t end = std::max(e.begin + e.bytes, begin + bytes);
  e.begin = e.bytes == 0 ? begin : std::min(e.begin, begin);
  e.bytes = end - e.begin;
}

extent variable_at(std::uintptr_t address) {
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  const auto after = t.all.upper_bound(address);
  if (after == t.all.begin()) return {};
  const auto& [begin, what] = *std::prev(after);
  return address < begin + what.bytes ? extent{begin, what.bytes} : extent{};
}

variable_extent variable_before(std::uintptr_t address) {
  const auto& [begin, what] = *std::prev(the_table().all.upper_bound(address));
  return {{begin, what.bytes}, what.name};
}

bool is_device_variable(std::uintptr_t address) {
  table& t = the_table();  // nobody writes it while kernels run
  const auto after = t.all.upper_bound(address);
  if (after == t.all.begin()) return false;
  const auto& [begin, what] = *std::prev(after);
  return what.on_device && address < begin + what.bytes;
}

void add_variable_regions(std::vector<region>& regions) {
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  if (t.stale) t.regions = pages_of(t.all);
  t.stale = false;
  for (region& r : t.regions) {
    if (!r.memory) r.memory = std::make_shared<shadow>(r.bytes);
    regions.push_back(r);
  }
}

void forget_variable_shadows() {
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  for (region& r : t.regions) r.memory.reset();
}

}  // namespace simt::detail
