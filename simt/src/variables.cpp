// __device__ and __constant__ variables. They are ordinary ones of the program; kernels' accesses
// to those of the device are told by address.
#include <map>
#include <mutex>

#include "arena.hpp"
#include "shadow.hpp"
#include "simt/kernel.hpp"

namespace simt::detail {

extent device_variables;

namespace {

struct entry_of_variable {
  std::size_t bytes;
  bool on_device;
  std::shared_ptr<shadow> memory;  // once it has been checked
};

struct table {
  std::mutex mutex;
  std::map<std::uintptr_t, entry_of_variable> all;  // by address
};

table& the_table() {
  static table t;
  return t;
}

}  // namespace

variable::variable(const volatile void* address, std::size_t bytes, const char*, kind what) {
  // What a program starts with counts as written: touch it.
  const auto* const p = static_cast<const volatile unsigned char*>(address);
  for (std::size_t i = 0; i < bytes; i += 4096) static_cast<void>(p[i]);
  static_cast<void>(p[bytes - 1]);
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  t.all[begin] = {bytes, what == device, nullptr};
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
  for (auto& [begin, what] : t.all) {
    if (!what.on_device) continue;
    if (!what.memory) what.memory = std::make_shared<shadow>(what.bytes);
    regions.push_back({begin, what.bytes, what.memory});
  }
}

void forget_variable_shadows() {
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  for (auto& [begin, what] : t.all) what.memory.reset();
}

}  // namespace simt::detail
