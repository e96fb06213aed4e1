// Device memory that the host must not touch: between the machine's own uses of it, its pages can't
// be accessed, and host code that does is noted and goes on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simt/src/memory/arena.hpp"

namespace simt::detail {

/// The functions that were running, the innermost first; 0 behind the last.
using call_stack = std::array<std::uintptr_t, 16>;
call_stack callers();

/// One access, the first one of its page since the machine last used the memory.
struct host_touch {
  std::uintptr_t address = 0;
  extent of;  // the registered memory
  bool writes = false;
  call_stack from{};
};

/// While one lives, the host's accesses to registered memory are noted.
class host_guard {
 public:
  host_guard();
  ~host_guard();
  host_guard(const host_guard&) = delete;
  host_guard& operator=(const host_guard&) = delete;

  /// All since the first guard was made, or since this was asked last.
  static std::vector<host_touch> take();
};

/// While one lives, the machine may touch all of it.
class device_memory_open {
 public:
  device_memory_open();
  ~device_memory_open();
  device_memory_open(const device_memory_open&) = delete;
  device_memory_open& operator=(const device_memory_open&) = delete;
};

/// Whole pages, from `begin` on, are the device's alone, until they are given back.
void register_device_memory(void* begin, std::size_t bytes);
void forget_device_memory(void* begin);

/// For the handler of a fault: whether it is that of a guarded page, which can be accessed now.
bool note_host_touch(std::uintptr_t address, bool writes, std::uintptr_t position);

}  // namespace simt::detail
