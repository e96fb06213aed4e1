// __device__ and __constant__ variables. They are ordinary ones of the program; kernels' accesses
// to those of the device are told by address.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "simt/kernel.hpp"
#include "simt/src/memory/arena.hpp"

namespace simt::detail {

extent device_variables;

namespace {

struct entry_of_variable {
  std::size_t bytes;
  const char* name;
  variable::kind kind;
  std::vector<std::byte> initial = {};                   // if there may be several devices
  std::map<int, std::vector<std::byte>> elsewhere = {};  // what other devices have in it

  [[nodiscard]] bool is_on_device() const { return kind != variable::constant; }
};

/// Pages with variables of the device, side by side.
struct page_range {
  std::uintptr_t begin;
  std::size_t bytes;
  std::shared_ptr<void> attached;
};

struct table {
  std::mutex mutex;
  std::map<std::uintptr_t, entry_of_variable> all;  // by address
  std::vector<page_range> pages;                    // of those of the device, if not stale
  bool stale = false;
  int shown = 0;  // the device whose values the variables have now
};

table& the_table() {
  static table t;
  return t;
}

/// The pages that these variables lie in.
std::vector<page_range> pages_of(const std::map<std::uintptr_t, entry_of_variable>& all) {
  constexpr std::size_t page_bytes = 4096;
  std::vector<page_range> ranges;
  for (const auto& [begin, what] : all) {
    if (!what.is_on_device()) continue;
    const std::uintptr_t first = begin / page_bytes * page_bytes;
    const std::uintptr_t end = (begin + what.bytes + page_bytes - 1) / page_bytes * page_bytes;
    if (!ranges.empty() && first <= ranges.back().begin + ranges.back().bytes) {
      ranges.back().bytes = end - ranges.back().begin;
    } else {
      ranges.push_back({first, end - first, nullptr});
    }
  }
  return ranges;
}

std::vector<std::byte> bytes_of(std::uintptr_t begin, const entry_of_variable& v) {
  const auto* const at = reinterpret_cast<const std::byte*>(begin);
  return {at, at + v.bytes};
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
  entry_of_variable& v = t.all[begin] = {bytes, name, what};
  // A program may yet change the environment, so the settings are not read this early.
  if (std::getenv("SIMT_DEVICES") != nullptr) v.initial = bytes_of(begin, v);
  t.stale = true;
  if (!v.is_on_device()) return;
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
  return what.is_on_device() && address < begin + what.bytes;
}

void show_variables_of(int device) {
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  if (device == t.shown) return;
  for (auto& [begin, v] : t.all) {
    if (v.kind == variable::managed) continue;
    std::vector<std::byte>& kept = v.elsewhere[t.shown] = bytes_of(begin, v);
    if (v.initial.empty()) v.initial = kept;
    const auto other = v.elsewhere.find(device);
    const std::vector<std::byte>& now = other != v.elsewhere.end() ? other->second : v.initial;
    // A constant may lie where nobody writes.
    if (now != kept) std::memcpy(reinterpret_cast<void*>(begin), now.data(), v.bytes);
  }
  t.shown = device;
}

void for_each_device_variable(const std::function<void(extent)>& visit) {
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  for (const auto& [begin, what] : t.all) {
    if (what.is_on_device()) visit({begin, what.bytes});
  }
}

void for_each_variable_range(const allocation_visitor& visit) {
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  if (t.stale) t.pages = pages_of(t.all);
  t.stale = false;
  for (page_range& p : t.pages) visit({p.begin, p.bytes, {}, p.attached});
}

}  // namespace simt::detail
