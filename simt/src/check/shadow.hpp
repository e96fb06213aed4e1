// What the checker remembers of each word of device memory, and of each block's shared memory.
//
// A word's record takes twelve times the word. So only the pages that running blocks work on have
// theirs open; the others' are packed: neighbouring words were mostly touched by neighbouring
// threads, from one line.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <sys/mman.h>

#include "simt/src/check/spin_lock.hpp"
#include "simt/src/memory/arena.hpp"

namespace simt::detail {

inline constexpr std::size_t page_bytes = 4096;

/// One access, as the words it touched remember it.
struct access_mark {
  std::uint32_t block = 0;
  std::uint32_t stamp = 0;       // of its cluster's clock
  std::uint32_t site : 31 = 0;   // low bits of the code position
  std::uint32_t narrow : 1 = 0;  // an atomic, or a store after a fence, of the block's scope
  std::uint16_t who = 0;         // thread in the block, bytes of the word << 10, then the two below
  std::uint16_t launch = 0;      // 0: none

  static constexpr std::uint32_t site_bits = ~std::uint32_t{0} >> 1;
  static constexpr unsigned atomic_bit = 1U << 14;
  static constexpr unsigned flag_bit = 1U << 15;  // made after a fence: it tells, others may look
  [[nodiscard]] unsigned thread() const { return who & 1023U; }
  [[nodiscard]] unsigned bytes() const { return who >> 10 & 15U; }
  [[nodiscard]] bool atomic() const { return (who & atomic_bit) != 0; }
  [[nodiscard]] bool flag() const { return (who & flag_bit) != 0; }
  /// Of a thread's accesses, told apart as far as place and time are.
  [[nodiscard]] std::uint64_t id() const {
    return ((std::uint64_t{block} << 32 | stamp) * 0x9E3779B97F4A7C15U) ^
           (std::uint64_t{site} << 16 | thread());
  }
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
  [[nodiscard]] std::size_t size() const { return bytes_ / sizeof(T); }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

using page_cells = std::array<cell, page_bytes / 4>;
struct packed_cells;

/// Zero: never touched.
struct shadow_page {
  page_cells* open = nullptr;
  packed_cells* packed = nullptr;  // if not open
  std::uint16_t launch = 0;        // the last one that touched it
  bool fresh = false;              // nobody had touched the memory when that one did
  std::uint8_t returns = 0;        // how often that one opened it again
  std::atomic<bool> used{false};   // since somebody looked for one to pack
};

class open_pages;

/// Of one allocation.
class shadow {
 public:
  explicit shadow(std::size_t bytes) : pages_((bytes + page_bytes - 1) / page_bytes) {}
  ~shadow();
  shadow(const shadow&) = delete;
  shadow& operator=(const shadow&) = delete;
  shadow_page& page(std::size_t index) { return pages_[index]; }
  /// The last write to the word there that any checked launch made. Not while one runs.
  access_mark last_write(std::size_t offset);

 private:
  lazy_array<shadow_page> pages_;
};

/// A live allocation.
struct region {
  std::uintptr_t begin = 0;  // of a page
  std::size_t bytes = 0;
  std::shared_ptr<shadow> memory;
  std::string name;       // "": none was given
  bool required = false;  // some of it must be read
};

/// The pages that one worker has opened in this launch. When there are too many it packs the one
/// that was used longest ago.
class open_pages {
 public:
  explicit open_pages(std::uint16_t launch) : launch_(launch) {}
  ~open_pages();
  open_pages(const open_pages&) = delete;
  open_pages& operator=(const open_pages&) = delete;

  /// Where its worker stores, and which store that is (`access_mark::id`): the words know of it
  /// before the memory does. 0 by its next access.
  std::atomic<std::uintptr_t> storing = 0;
  std::atomic<std::uint64_t> store = 0;

 private:
  friend class locked_words;
  struct entry {
    shadow_page* page;
    std::uintptr_t address;
  };
  void open(shadow_page& p, std::uintptr_t address);
  void make_room();

  std::uint16_t launch_;
  std::vector<entry> entries_;
  std::size_t next_ = 0;
};

/// Keeps others off the words around an address while it lives. They lie in one page.
class locked_words {
 public:
  locked_words(const region& r, std::uintptr_t address, open_pages& pages);
  ~locked_words();
  locked_words(const locked_words&) = delete;
  locked_words& operator=(const locked_words&) = delete;
  cell& operator[](std::size_t word_of_page) const { return (*page_.open)[word_of_page]; }
  /// Nobody had touched this page before the launch.
  [[nodiscard]] bool fresh() const { return page_.fresh; }

 private:
  shadow_page& page_;
  spin_lock& lock_;
};

/// All of them, by address, each with its shadow.
std::vector<region> live_regions();
void forget_shadows();

}  // namespace simt::detail
