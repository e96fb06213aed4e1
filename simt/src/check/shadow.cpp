#include "simt/src/check/shadow.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "simt/src/memory/arena.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t most_open = 64;  // pages of one worker: 3 MiB of cells
constexpr std::size_t most_packed_bytes = sizeof(page_cells) / 2;  // else it is not worth it
constexpr unsigned most_returns = 4;  // a page that is opened more often in a launch stays open

constexpr std::size_t piece = 256;  // bytes under one lock
constexpr std::size_t pieces = page_bytes / piece;
struct alignas(64) stripe {
  spin_lock lock;
};
std::array<stripe, 64 * pieces> stripes;  // by address; those of one page lie together

spin_lock& stripe_of(std::uintptr_t address) {
  return stripes[address / piece % stripes.size()].lock;
}

class locked_page {
 public:
  explicit locked_page(std::uintptr_t address) : first_(address / page_bytes * page_bytes) {
    for (std::size_t i = 0; i < pieces; ++i) stripe_of(first_ + i * piece).lock();
  }
  ~locked_page() {
    for (std::size_t i = 0; i < pieces; ++i) stripe_of(first_ + i * piece).unlock();
  }
  locked_page(const locked_page&) = delete;
  locked_page& operator=(const locked_page&) = delete;

 private:
  std::uintptr_t first_;
};

/// Pages' worth of cells, kept for the next page.
struct spare_cells {
  std::mutex mutex;
  std::vector<std::unique_ptr<page_cells>> free;

  page_cells* get() {
    const std::scoped_lock lock(mutex);
    if (free.empty()) return new page_cells;
    page_cells* const p = free.back().release();
    free.pop_back();
    return p;
  }
  void put(page_cells* p) {
    std::unique_ptr<page_cells> own(p);
    const std::scoped_lock lock(mutex);
    if (free.size() < most_open) free.push_back(std::move(own));
  }
};

spare_cells& spare() {
  static auto& s = *new spare_cells;  // outlives every allocation
  return s;
}

/// Whether anybody has touched this page. Linux tells; where it doesn't, everything was written.
bool touched(std::uintptr_t address) {
  static const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  std::uint64_t entry = 0;
  const auto at = static_cast<off_t>(address / page_bytes * sizeof entry);
  if (map < 0 || pread(map, &entry, sizeof entry, at) != sizeof entry) return true;
  return entry >> 62 != 0;  // in memory or swapped out
}

}  // namespace

/// The marks of a page in three rows: of the writes, and of both readers. A row is cut into runs.
/// In a run the marks differ only in the thread, which goes on by one every 1 << step words.
///
///   words     0   1   2   3   4   5   6   7   8   9  ...                          1023
///   write   | b0 s7 line 12, threads 0 0 1 1 2 2 3 3 | nobody                         |
///   read 0  | b1 s9 line 14, thread 5, all the way                                    |
///   read 1  | nobody                                                                  |
///
///   runs      { length 8, kind 1, thread 0, step 1 }  { 1016, 0, 0, constant }   the write row
///             { 1024, kind 2, thread 5, constant }                               read 0
///             { 1024, kind 0, thread 0, constant }                               read 1
///   kinds     0: no mark   1: b0 s7 line 12   2: b1 s9 line 14      a mark without its thread
///
/// A mark is packed as two halves, so that one comparison or addition takes all its fields:
///
///   block_stamp       | block 32 | stamp 32 |
///   site_who_launch   | site 31, narrow 1 | thread 10, bytes 4, atomic 1, flag 1 | launch 16 |
///                       bit 0      bit 32: + one_thread is the next thread
struct packed_cells {
  struct halves {  // of a mark
    std::uint64_t block_stamp = 0, site_who_launch = 0;
    bool operator==(const halves&) const = default;
  };
  static constexpr std::uint64_t one_thread = std::uint64_t{1} << 32;  // in the second half
  static constexpr std::uint64_t all_threads = 1023 * one_thread;
  static constexpr std::uint8_t constant = 15;  // a step that is never reached

  struct run {
    std::uint16_t length, kind, thread;
    std::uint8_t step;
  };
  std::vector<halves> kinds{1};  // of marks, without the thread; the first one is none
  std::vector<run> runs;

  explicit packed_cells(page_cells& cells) {
    for (unsigned which = 0; which < 3; ++which) pack_row(cells, which);
    kinds.shrink_to_fit();
    runs.shrink_to_fit();
  }

  static access_mark& row(cell& c, unsigned which) {
    return which == 0 ? c.write : c.reads[which - 1];
  }

  [[nodiscard]] std::size_t bytes() const {
    return kinds.size() * sizeof(halves) + runs.size() * sizeof(run);
  }

  std::uint16_t kind_of(halves h) {
    h.site_who_launch &= ~all_threads;
    constexpr std::size_t recent = 8;
    for (std::size_t i = kinds.size(); i-- > 0 && i + recent >= kinds.size();) {
      if (kinds[i] == h) return static_cast<std::uint16_t>(i);
    }
    kinds.push_back(h);
    return static_cast<std::uint16_t>(kinds.size() - 1);
  }

  void pack_row(page_cells& cells, unsigned which) {
    const auto at = [&](std::size_t i) { return std::bit_cast<halves>(row(cells[i], which)); };
    for (std::size_t i = 0; i < cells.size(); i += runs.back().length) {
      runs.push_back(is_none(at(i)) ? run_of_none(i, cells.size(), at)
                                    : run_of_marks(i, cells.size(), at));
    }
  }

  static bool is_none(const halves& h) { return h.site_who_launch >> 48 == 0; }

  template <class At>
  static run run_of_none(std::size_t first, std::size_t words, At at) {
    std::size_t end = first + 1;
    while (end < words && is_none(at(end))) ++end;
    return {static_cast<std::uint16_t>(end - first), 0, 0, constant};
  }

  template <class At>
  run run_of_marks(std::size_t first, std::size_t words, At at) {
    const halves mark = at(first);
    std::uint8_t step = 0;  // the smallest after which the thread is the next one
    for (; step <= 2; ++step) {
      const std::size_t next = first + (std::size_t{1} << step);
      if (next < words && at(next).site_who_launch == mark.site_who_launch + one_thread) break;
    }
    if (step > 2) step = constant;
    std::size_t end = first + 1;
    while (end < words &&
           at(end) == halves{mark.block_stamp,
                             mark.site_who_launch + ((end - first) >> step) * one_thread}) {
      ++end;
    }
    return {static_cast<std::uint16_t>(end - first), kind_of(mark),
            static_cast<std::uint16_t>((mark.site_who_launch & all_threads) >> 32), step};
  }

  [[nodiscard]] access_mark mark_in(const run& r, std::size_t k) const {
    halves h = kinds[r.kind];
    h.site_who_launch += (r.thread + (k >> r.step)) * one_thread;
    return std::bit_cast<access_mark>(h);
  }

  void unpack(page_cells& cells) const {
    std::size_t at = 0;
    unsigned which = 0;
    for (const run& r : runs) {
      for (std::size_t k = 0; k < r.length; ++k) row(cells[at + k], which) = mark_in(r, k);
      at += r.length;
      if (at == cells.size()) {
        at = 0;
        ++which;
      }
    }
  }

  [[nodiscard]] access_mark write_of(std::size_t word) const {
    for (const run& r : runs) {
      if (word < r.length) return mark_in(r, word);
      word -= r.length;
    }
    return {};
  }
};

namespace {

void pack(shadow_page& p) {
  if (p.open == nullptr) return;
  auto packed = std::make_unique<packed_cells>(*p.open);
  if (packed->bytes() > most_packed_bytes) return;
  spare().put(std::exchange(p.open, nullptr));
  p.packed = packed.release();
}

}  // namespace

std::vector<region> live_regions() {
  std::vector<region> regions;
  for_each_allocation([&](const allocation_view& a) {
    if (!a.attached) a.attached = std::make_shared<shadow>(a.bytes);
    regions.push_back({a.begin, a.bytes, std::static_pointer_cast<shadow>(a.attached), a.name});
  });
  std::sort(regions.begin(), regions.end(),
            [](const region& x, const region& y) { return x.begin < y.begin; });
  return regions;
}

void forget_shadows() {
  for_each_allocation([](const allocation_view& a) { a.attached.reset(); });
}

access_mark shadow::last_write(std::size_t offset) {
  const shadow_page& p = pages_[offset / page_bytes];
  const std::size_t word = offset % page_bytes / 4;
  if (p.open != nullptr) return (*p.open)[word].write;
  return p.packed != nullptr ? p.packed->write_of(word) : access_mark{};
}

shadow::~shadow() {
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    if (pages_[i].open != nullptr) spare().put(pages_[i].open);
    delete pages_[i].packed;
  }
}

open_pages::~open_pages() {
  for (const entry& e : entries_) {
    const locked_page lock(e.address);
    pack(*e.page);
  }
}

void open_pages::make_room() {
  for (std::size_t looked = 0;; ++looked) {
    next_ = next_ + 1 < entries_.size() ? next_ + 1 : 0;
    const entry e = entries_[next_];
    if (e.page->used.exchange(false, std::memory_order_relaxed) && looked < most_open) continue;
    entries_[next_] = entries_.back();
    entries_.pop_back();
    const locked_page lock(e.address);
    return pack(*e.page);
  }
}

void open_pages::open(shadow_page& p, std::uintptr_t address) {
  if (entries_.size() == most_open) make_room();
  const locked_page lock(address);
  if (p.launch != launch_) {
    p.launch = launch_;
    p.fresh = !touched(address);
    p.returns = 0;
  } else if (p.open != nullptr) {
    return;  // another worker was faster
  } else {
    ++p.returns;
  }
  if (p.open == nullptr) {
    page_cells* const cells = spare().get();
    if (p.packed != nullptr) {
      p.packed->unpack(*cells);
      delete std::exchange(p.packed, nullptr);
    } else {
      cells->fill({});
    }
    p.open = cells;
  }
  if (p.returns < most_returns) entries_.push_back({&p, address});
}

locked_words::locked_words(const region& r, std::uintptr_t address, open_pages& pages)
    : page_(r.memory->page((address - r.begin) / page_bytes)), lock_(stripe_of(address)) {
  for (;;) {
    lock_.lock();
    if (page_.open != nullptr && page_.launch == pages.launch_) [[likely]]
      break;
    lock_.unlock();
    const hooks_disabled quiet;
    pages.open(page_, address);
  }
  if (!page_.used.load(std::memory_order_relaxed)) {
    page_.used.store(true, std::memory_order_relaxed);
  }
}

locked_words::~locked_words() { lock_.unlock(); }

}  // namespace simt::detail
