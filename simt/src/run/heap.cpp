#include "simt/src/run/heap.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <sys/mman.h>

#include "simt/heap.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/hooks.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t grain = 16;

/// What was freed waits, by its size, for the next that asks for as much.
class heap {
 public:
  bool set_limit(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (begin_ != nullptr) return bytes == limit_;
    limit_ = bytes;
    return true;
  }
  [[nodiscard]] bool contains(const void* p) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - begin_) < span_;
  }
  void* allocate(std::size_t bytes) {
    const std::size_t whole = (bytes + grain - 1) / grain * grain + (bytes == 0 ? grain : 0);
    const std::scoped_lock lock(mutex_);
    if (begin_ == nullptr && !open()) return nullptr;
    auto& waiting = freed_[whole];
    std::byte* at = nullptr;
    if (!waiting.empty()) {
      at = waiting.back();
      waiting.pop_back();
    } else if (whole <= limit_ - used_) {
      at = begin_ + used_;
      used_ += whole;
    } else {
      return nullptr;
    }
    sizes_[at] = whole;
    return at;
  }
  /// False: no such allocation.
  bool free(void* p) {
    const std::scoped_lock lock(mutex_);
    const auto found = sizes_.find(static_cast<std::byte*>(p));
    if (found == sizes_.end()) return false;
    freed_[found->second].push_back(found->first);
    sizes_.erase(found);
    return true;
  }
  void forget() {
    const std::scoped_lock lock(mutex_);
    if (begin_ != nullptr) munmap(begin_, span_);
    begin_ = nullptr;
    used_ = span_ = 0;
    freed_.clear();
    sizes_.clear();
  }

 private:
  bool open() {
    void* const p = mmap(nullptr, limit_ + grain, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    begin_ = static_cast<std::byte*>(p);
    span_ = limit_ + grain;
    return true;
  }

  std::mutex mutex_;
  std::byte* begin_ = nullptr;
  std::size_t limit_ = std::size_t{8} << 20, used_ = 0, span_ = 0;
  std::map<std::size_t, std::vector<std::byte*>> freed_;
  std::map<std::byte*, std::size_t> sizes_;
};

heap& the_heap() {
  static auto* const h = new heap;  // to the very end: kernels may run then
  return *h;
}

}  // namespace

bool set_heap_limit(std::size_t bytes) { return the_heap().set_limit(bytes); }
bool is_on_heap(std::uintptr_t address) {
  return the_heap().contains(reinterpret_cast<const void*>(address));
}
void forget_heap() { the_heap().forget(); }

void* device_malloc(std::size_t bytes) {
  if (tls.current == nullptr) return std::malloc(bytes);
  const hooks_disabled quiet;
  return the_heap().allocate(bytes);
}
void* device_calloc(std::size_t count, std::size_t bytes) {
  if (tls.current == nullptr) return std::calloc(count, bytes);
  void* const p = device_malloc(count * bytes);
  const hooks_disabled quiet;
  return p != nullptr ? std::memset(p, 0, count * bytes) : nullptr;
}
void device_free(void* pointer) {
  if (pointer == nullptr) return;
  if (tls.current == nullptr) return std::free(pointer);
  bool freed = false;
  {
    const hooks_disabled quiet;
    freed = the_heap().free(pointer);
  }
  if (!freed) {
    fail(*tls.current,
         "frees a pointer that no malloc or new of a kernel returned, or frees it twice");
  }
}

}  // namespace simt::detail
