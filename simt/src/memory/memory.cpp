#include "simt/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "simt/src/memory/arena.hpp"

namespace simt {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t large = std::size_t{16} << 20;  // allocations that get huge pages

struct allocation {
  std::size_t bytes, span;
  std::shared_ptr<void> attached;
  std::string name;
};

struct arena {
  std::mutex mutex;
  std::byte* next = nullptr;
  std::byte* end = nullptr;
  std::size_t unasked = 0;  // bytes given away since the system was asked
  std::map<std::uintptr_t, allocation> live;

  arena() {
    void* base = mmap(nullptr, detail::arena_bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) throw std::bad_alloc();
    detail::arena_base = reinterpret_cast<std::uintptr_t>(base);
    end = static_cast<std::byte*>(base) + detail::arena_bytes;
    next = static_cast<std::byte*>(base) + page;
  }
};

arena& the_arena() {
  static arena a;
  return a;
}

std::size_t round_up(std::size_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

std::uintptr_t detail::arena_base = 0;

void detail::for_each_allocation(const allocation_visitor& visit) {
  {
    arena& a = the_arena();
    const std::scoped_lock lock(a.mutex);
    for (auto& [begin, what] : a.live) visit({begin, what.bytes, what.name, what.attached});
  }
  for_each_variable_range(visit);
}

detail::extent detail::allocation_at(std::uintptr_t address) {
  arena& a = the_arena();
  const std::scoped_lock lock(a.mutex);
  const auto after = a.live.upper_bound(address);
  if (after == a.live.begin()) return {};
  const auto& [begin, what] = *std::prev(after);
  return address < begin + what.span ? extent{begin, what.bytes} : extent{};
}

void* allocate(std::size_t bytes) {
  arena& a = the_arena();
  const std::size_t span = round_up(bytes) + page;  // an unmapped page behind each
  const std::scoped_lock lock(a.mutex);
  // Memory is only touched later: refuse now what would get the process killed then. To ask takes
  // longer than a small allocation, so many of those are asked for together.
  if (bytes > large || a.unasked + span > large) {
    if (bytes > free_memory()) throw std::bad_alloc();
    a.unasked = 0;
  }
  a.unasked += span;
  std::size_t before = 0;  // to the next huge page
  if (bytes >= large) before = -reinterpret_cast<std::uintptr_t>(a.next) % huge_page;
  if (before + span > static_cast<std::size_t>(a.end - a.next)) throw std::bad_alloc();
  void* const p = a.next + before;
  if (span > page && mprotect(p, span - page, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  // Random accesses would miss the TLB nearly every time.
  if (bytes >= large) madvise(p, (span - page) / huge_page * huge_page, MADV_HUGEPAGE);
  a.next += before + span;
  a.live.insert({reinterpret_cast<std::uintptr_t>(p), {bytes, span, nullptr, {}}});
  return p;
}

void free(void* pointer) noexcept {
  if (pointer == nullptr) return;
  arena& a = the_arena();
  const std::scoped_lock lock(a.mutex);
  const auto it = a.live.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (it == a.live.end()) return;
  // Give the pages back; the addresses stay unused, so that a stale pointer faults.
  static_cast<void>(mmap(pointer, it->second.span, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
  a.live.erase(it);
}

void name(const void* pointer, std::string_view as) {
  arena& a = the_arena();
  const std::scoped_lock lock(a.mutex);
  const auto it = a.live.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (it == a.live.end()) {
    throw std::invalid_argument("simt::name: this is no pointer that simt::allocate returned");
  }
  it->second.name = as;
}

namespace {

/// A line of /proc/meminfo, in bytes; 0 where there is none.
std::size_t memory_info(std::string_view wanted) {
  std::ifstream info("/proc/meminfo");
  for (std::string key, unit; info >> key;) {
    std::size_t kib = 0;
    info >> kib;
    std::getline(info, unit);
    if (key == wanted) return kib * 1024;
  }
  return 0;
}

}  // namespace

std::size_t free_memory() {
  const std::size_t bytes = memory_info("MemAvailable:");
  return bytes != 0 ? bytes : static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
}

std::size_t all_memory() {
  const std::size_t bytes = memory_info("MemTotal:");
  return bytes != 0 ? bytes : static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page;
}

}  // namespace simt
