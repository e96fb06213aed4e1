// What the checker remembers of each word of device memory, and of each block's shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace simt::detail {

/// One access, as the words it touched remember it.
struct access_mark {
  std::uint32_t block = 0;
  std::uint32_t stamp = 0;   // of its cluster's clock
  std::uint32_t site = 0;    // low half of the code position
  std::uint16_t who = 0;     // thread in the block, bytes of the word << 10, then the two below
  std::uint16_t launch = 0;  // 0: none

  static constexpr unsigned atomic_bit = 1U << 14;
  static constexpr unsigned flag_bit = 1U << 15;  // made after a fence: it tells, others may look
  [[nodiscard]] unsigned thread() const { return who & 1023U; }
  [[nodiscard]] unsigned bytes() const { return who >> 10 & 15U; }
  [[nodiscard]] bool atomic() const { return (who & atomic_bit) != 0; }
  [[nodiscard]] bool flag() const { return (who & flag_bit) != 0; }
};

/// The last access of each kind to four bytes. Two readers: a writer may be one of them.
struct cell {
  access_mark write;
  std::array<access_mark, 2> reads;
};

struct shared_cell : cell {
  std::uint32_t block = 0;  // that wrote what `written` says, in `launch`
  std::uint16_t launch = 0;
  std::uint8_t written = 0;  // its bytes
};

/// Zeroed memory that costs nothing until it is touched.
template <class T>
class lazy_array {
 public:
  explicit lazy_array(std::size_t n) : bytes_(n * sizeof(T)) {
    if (bytes_ == 0) return;
    void* const p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(p);
  }
  ~lazy_array() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  lazy_array(const lazy_array&) = delete;
  lazy_array& operator=(const lazy_array&) = delete;
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

/// Of one allocation.
struct shadow {
  explicit shadow(std::size_t bytes) : cells((bytes + 3) / 4), pages((bytes + 4095) / 4096) {}
  lazy_array<cell> cells;
  lazy_array<std::uint32_t> pages;  // 2 * launch + whether nobody had touched it then
};

/// A live allocation.
struct region {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::shared_ptr<shadow> memory;
};

/// All of them, by address, each with its shadow.
std::vector<region> live_regions();
void forget_shadows();
/// The part of both that is about variables.
void add_variable_regions(std::vector<region>& regions);
void forget_variable_shadows();

}  // namespace simt::detail
