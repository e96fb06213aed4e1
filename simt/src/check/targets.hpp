// What addresses and code positions stand for: allocations, objects in shared memory, code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/src/check/shadow.hpp"
#include "simt/src/run/model.hpp"

namespace simt::detail {

/// What an access goes to: an allocation, or an object in shared memory.
struct target {
  const region* allocation = nullptr;
  const void* tag = nullptr;   // of static shared memory
  bool dynamic = false;        // shared memory
  const char* name = nullptr;  // of the variable
  std::ptrdiff_t offset = 0;
  std::size_t size = 0;
};
/// The one that the address lies next to: before it or behind it.
const region* nearest_region(const std::vector<region>& regions, std::uintptr_t address);
target target_in(const region* r, std::uintptr_t address);
target target_in(const block& owner, std::uintptr_t shared_address);
std::string name_of(const target& t);
/// Its name where it is dynamic shared memory, which has none of its own.
inline constexpr const char* dynamic_part = "the dynamic part";
/// The name of what lies behind one.
inline constexpr const char* null_pointer = "a null pointer";

/// The allocation that this address is in or behind; nullptr where there is none.
const region* find_region(const std::vector<region>& regions, std::uintptr_t address);
/// The whole position of which a mark has kept the low half; `near` is in the same program.
std::uintptr_t full_position(std::uint32_t site, std::uintptr_t near);

}  // namespace simt::detail
