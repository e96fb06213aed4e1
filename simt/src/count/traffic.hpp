// What leaves a multiprocessor for the device's memory, and how long ago it was there before: one
// list of every sector's last use serves caches of any size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "simt/launch_profile.hpp"

namespace simt::detail {

inline constexpr unsigned sector_shift = 5;  // sectors of 32 bytes

/// So many sectors have been accessed so far, by all launches.
std::uint32_t traffic_so_far();

/// One worker's part.
class traffic {
 public:
  traffic();
  /// What was last used before `cold_before` is in no cache.
  void begin(std::uint32_t cold_before);
  /// Another multiprocessor may run it: its own cache is empty.
  void block_begins() { ++epoch_; }

  void request_begins() {
    next_line_ = 0;
    last_half_ = none;
    stored_before_ = write_halves_;
  }
  /// The request that was stored last leaves some of its sectors half written.
  void leaves_parts() { partial_halves_ += write_halves_ - stored_before_; }
  // The sectors of one request, ascending, by their address over 32; the last one included.
  void load(std::uint64_t first, std::uint64_t last);
  void store(std::uint64_t first, std::uint64_t last);
  void atomic(std::uint64_t sector, unsigned times);
  void bulk_load(std::uint64_t address, std::size_t bytes);
  void bulk_store(std::uint64_t address, std::size_t bytes);

  /// Whether the multiprocessor's own cache has what lies there.
  [[nodiscard]] bool has_near(std::uint64_t address) const;
  [[nodiscard]] const reuse_counts& reads() const { return reads_; }
  [[nodiscard]] const reuse_counts& writes() const { return writes_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  // Of 64 bytes: the halves of lines that requests beyond that cache ask for.
  [[nodiscard]] std::uint64_t read_halves() const { return read_halves_; }
  [[nodiscard]] std::uint64_t write_halves() const { return write_halves_; }
  [[nodiscard]] std::uint64_t partial_halves() const { return partial_halves_; }
  [[nodiscard]] std::uint64_t atomic_halves() const { return atomic_halves_; }
  /// Atomics on the sector that had the most.
  [[nodiscard]] std::uint64_t hottest_atomics() const { return hottest_; }

 private:
  static constexpr unsigned sets = 256, ways = 4;  // of 128 bytes: an H100's, less shared memory
  struct set {
    std::array<std::uint64_t, ways> lines{};
    std::array<std::uint8_t, ways> sectors{};
    unsigned next = 0;
  };

  static constexpr std::uint64_t none = ~std::uint64_t{0};
  /// Adds the half of a line in which the sector is, unless the request's last sector was there.
  void add_half(std::uint64_t& to, std::uint64_t sector) {
    to += sector / 2 != last_half_ ? 1 : 0;
    last_half_ = sector / 2;
  }
  void add_lines(std::uint64_t first, std::uint64_t last);
  [[nodiscard]] std::uint64_t tag_of(std::uint64_t line) const;
  unsigned bring_near(std::uint64_t line, unsigned sectors);
  void read(std::uint64_t sector);
  void write(std::uint64_t sector);
  std::uint32_t now();
  void note(reuse_counts& in, std::uint32_t before, std::uint32_t time) const;

  std::unique_ptr<std::array<set, sets>> near_;
  std::uint64_t epoch_ = 0, lines_ = 0, next_line_ = 0;
  std::uint64_t read_halves_ = 0, write_halves_ = 0, partial_halves_ = 0, atomic_halves_ = 0,
                last_half_ = none, stored_before_ = 0;
  reuse_counts reads_, writes_;
  std::uint32_t cold_before_ = 0, time_ = 0, time_left_ = 0;
  std::array<std::uint64_t, 64> atomic_sector_{}, atomic_count_{};
  std::uint64_t hottest_ = 0;
};

}  // namespace simt::detail
