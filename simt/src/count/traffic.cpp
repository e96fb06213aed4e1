#include "simt/src/count/traffic.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>

#include <sys/mman.h>

#include "simt/src/memory/arena.hpp"

namespace simt::detail {

namespace {

constexpr unsigned line_shift = 2;  // sectors of a line

std::atomic<std::uint32_t> sectors_accessed{1};

/// When a sector was accessed last, and when it was last written; 0: never.
struct sector_times {
  std::atomic<std::uint32_t> used, written;
};

/// Of the whole arena: pages that nobody touches take no memory.
sector_times* times_of_arena() {
  static auto* const all = [] {
    void* const p =
        mmap(nullptr, (arena_bytes >> sector_shift) * sizeof(sector_times), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    return static_cast<sector_times*>(p);
  }();
  return all;
}

/// Device variables share one place each 64 KiB: they are few, and stay in the cache.
sector_times& times_of(std::uint64_t sector) {
  static std::array<sector_times, 2048> of_variables{};
  const std::uint64_t address = sector << sector_shift;
  if (!in_arena(address)) return of_variables[sector % of_variables.size()];
  return times_of_arena()[(address - arena_base) >> sector_shift];
}

}  // namespace

std::uint32_t traffic_so_far() { return sectors_accessed.load(std::memory_order_relaxed); }

traffic::traffic() : near_(std::make_unique<std::array<set, sets>>()) {}

void traffic::begin(std::uint32_t cold_before) {
  cold_before_ = cold_before;
  reads_ = {};
  writes_ = {};
  lines_ = hottest_ = 0;
  read_halves_ = write_halves_ = partial_halves_ = atomic_halves_ = 0;
  atomic_count_ = {};
  time_left_ = 0;
  ++epoch_;
}

std::uint32_t traffic::now() {
  constexpr std::uint32_t taken_at_once = 256;
  if (time_left_ == 0) {
    time_ = sectors_accessed.fetch_add(taken_at_once, std::memory_order_relaxed);
    time_left_ = taken_at_once;
  }
  --time_left_;
  return time_++;
}

void traffic::note(reuse_counts& in, std::uint32_t before, std::uint32_t time) const {
  // Another worker's clock may be a little ahead: what it has just used is not cold.
  const bool cold = before == 0 || before - cold_before_ > ~0U / 2;
  const std::uint32_t distance = time - before < ~0U / 2 ? time - before : 0;
  ++in.by_distance[cold ? in.by_distance.size() - 1
                        : static_cast<std::size_t>(std::bit_width(distance))];
}

std::uint64_t traffic::tag_of(std::uint64_t line) const {
  constexpr unsigned epoch_shift = 40;
  return (line & ((std::uint64_t{1} << epoch_shift) - 1)) | epoch_ << epoch_shift;
}

bool traffic::has_near(std::uint64_t address) const {
  const std::uint64_t sector = address >> sector_shift, line = sector >> line_shift;
  const set& s = (*near_)[(line ^ line >> 8) % sets];
  for (unsigned way = 0; way < ways; ++way) {
    if (s.lines[way] == tag_of(line)) return (s.sectors[way] >> (sector & 3) & 1) != 0;
  }
  return false;
}

/// Of these sectors of a line, bit by bit, those that it lacks; from now on it has them.
unsigned traffic::bring_near(std::uint64_t line, unsigned sectors) {
  const std::uint64_t tag = tag_of(line);
  set& s = (*near_)[(line ^ line >> 8) % sets];
  for (unsigned way = 0; way < ways; ++way) {
    if (s.lines[way] != tag) continue;
    const unsigned lacking = sectors & ~s.sectors[way];
    s.sectors[way] |= static_cast<std::uint8_t>(sectors);
    return lacking;
  }
  s.lines[s.next] = tag;
  s.sectors[s.next] = static_cast<std::uint8_t>(sectors);
  s.next = (s.next + 1) % ways;
  return sectors;
}

void traffic::read(std::uint64_t sector) {
  sector_times& t = times_of(sector);
  const std::uint32_t time = now();
  note(reads_, t.used.load(std::memory_order_relaxed), time);
  t.used.store(time, std::memory_order_relaxed);
}

void traffic::write(std::uint64_t sector) {
  sector_times& t = times_of(sector);
  const std::uint32_t time = now();
  note(writes_, t.written.load(std::memory_order_relaxed), time);
  t.used.store(time, std::memory_order_relaxed);
  t.written.store(time, std::memory_order_relaxed);
}

void traffic::add_lines(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t first_line = std::max(first >> line_shift, next_line_);
  if (const std::uint64_t end = (last >> line_shift) + 1; end > first_line) {
    lines_ += end - first_line;
    next_line_ = end;
  }
}

void traffic::load(std::uint64_t first, std::uint64_t last) {
  add_lines(first, last);
  constexpr unsigned all = (1U << (1U << line_shift)) - 1;
  for (std::uint64_t line = first >> line_shift; line <= last >> line_shift; ++line) {
    const std::uint64_t begin = line << line_shift, end = begin + 3;
    unsigned sectors = all;
    if (begin < first) sectors &= all << (first - begin);
    if (end > last) sectors &= all >> (end - last);
    for (unsigned rest = bring_near(line, sectors); rest != 0; rest &= rest - 1) {
      const std::uint64_t sector = begin + static_cast<unsigned>(std::countr_zero(rest));
      add_half(read_halves_, sector);
      read(sector);
    }
  }
}

void traffic::store(std::uint64_t first, std::uint64_t last) {
  add_lines(first, last);
  for (std::uint64_t s = first; s <= last; ++s) {
    add_half(write_halves_, s);
    write(s);
  }
}

void traffic::atomic(std::uint64_t sector, unsigned times) {
  add_lines(sector, sector);
  add_half(atomic_halves_, sector);
  atomic_halves_ += times - 1;
  write(sector);
  const std::size_t at = sector % atomic_sector_.size();
  if (atomic_sector_[at] != sector) {
    atomic_sector_[at] = sector;
    atomic_count_[at] = 0;
  }
  atomic_count_[at] += times;
  hottest_ = std::max(hottest_, atomic_count_[at]);
}

void traffic::bulk_load(std::uint64_t address, std::size_t bytes) {
  const std::uint64_t last = (address + bytes - 1) >> sector_shift;
  last_half_ = none;
  for (std::uint64_t s = address >> sector_shift; s <= last; ++s) {
    add_half(read_halves_, s);
    read(s);
  }
}

void traffic::bulk_store(std::uint64_t address, std::size_t bytes) {
  const std::uint64_t last = (address + bytes - 1) >> sector_shift;
  last_half_ = none;
  for (std::uint64_t s = address >> sector_shift; s <= last; ++s) {
    add_half(write_halves_, s);
    write(s);
  }
}

}  // namespace simt::detail
