#include "simt/src/memory/guard.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include <execinfo.h>
#include <sys/mman.h>

namespace simt::detail {

namespace {

constexpr std::size_t page = 4096, most_touches = 256;

struct guarded_memory {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> all;  // bytes, by address
  unsigned guards = 0, open = 0;
  bool closed = false;  // the pages, as guards and open ask for
  std::array<host_touch, most_touches> touches;
  std::size_t touched = 0;

  void protect(std::uintptr_t begin, std::size_t bytes) const {
    const std::size_t whole = (bytes + page - 1) / page * page;
    mprotect(reinterpret_cast<void*>(begin), whole, closed ? PROT_NONE : PROT_READ | PROT_WRITE);
  }
  void update() {
    const bool wanted = guards > 0 && open == 0;
    if (wanted == closed) return;
    closed = wanted;
    for (const auto& [begin, bytes] : all) protect(begin, bytes);
  }
};

guarded_memory& memory() {
  static auto* const m = new guarded_memory;  // host code may touch it until the very end
  return *m;
}

template <class Change>
void change(const Change& f) {
  guarded_memory& m = memory();
  const std::scoped_lock lock(m.mutex);
  f(m);
  m.update();
}

}  // namespace

call_stack callers() {
  std::array<void*, std::tuple_size_v<call_stack> + 1> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  call_stack all{};
  for (int i = 1; i < count; ++i) {  // without this one
    all[static_cast<std::size_t>(i) - 1] =
        reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]);
  }
  return all;
}

host_guard::host_guard() {
  static_cast<void>(callers());  // loads what it needs, which no handler of a fault may do
  change([](guarded_memory& m) { ++m.guards; });
}
host_guard::~host_guard() {
  change([](guarded_memory& m) { --m.guards; });
}

std::vector<host_touch> host_guard::take() {
  std::vector<host_touch> all;
  all.reserve(most_touches);
  change([&](guarded_memory& m) {
    all.assign(m.touches.begin(),
               m.touches.begin() + static_cast<std::ptrdiff_t>(std::exchange(m.touched, 0)));
  });
  return all;
}

device_memory_open::device_memory_open() {
  change([](guarded_memory& m) { ++m.open; });
}
device_memory_open::~device_memory_open() {
  change([](guarded_memory& m) { --m.open; });
}

void register_device_memory(void* begin, std::size_t bytes) {
  change([&](guarded_memory& m) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    m.all[at] = bytes;
    m.protect(at, bytes);
  });
}

void forget_device_memory(void* begin) {
  change([&](guarded_memory& m) { m.all.erase(reinterpret_cast<std::uintptr_t>(begin)); });
}

bool note_host_touch(std::uintptr_t address, bool writes, std::uintptr_t position) {
  guarded_memory& m = memory();
  const std::scoped_lock lock(m.mutex);  // whoever has it touches no guarded memory
  const auto after = m.all.upper_bound(address);
  if (after == m.all.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  if (address - begin >= (bytes + page - 1) / page * page) return false;
  if (!m.closed) return true;  // since the fault
  mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE);
  if (m.touched == most_touches) return true;
  host_touch& t = m.touches[m.touched++];
  t = {.address = address, .of = {begin, bytes}, .writes = writes, .from = callers()};
  // The frames of the handler are the first; the code that faulted stands behind them.
  const auto at = std::find(t.from.begin(), t.from.end(), position);
  if (at != t.from.end()) {
    std::fill(std::copy(at, t.from.end(), t.from.begin()), t.from.end(), 0);
  } else {
    t.from = {position};
  }
  t.from[0] = position + 1;  // as if it were a return address
  return true;
}

}  // namespace simt::detail
