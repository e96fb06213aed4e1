// What takes the bytes that a command writes: a file, or standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace warpfold::data {

class output {
 public:
  output() = default;
  virtual ~output() = default;
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  /// In quotes, or in words, as messages show it.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Whether write() must be called for one part after the other, each where the last one ended.
  /// Otherwise several threads may write different places at the same time.
  [[nodiscard]] virtual bool in_order() const = 0;
  /// Reserves this number of bytes now, if possible, so that a full disk is detected before the
  /// work.
  virtual void reserve(std::uint64_t bytes) = 0;
  virtual void write(std::uint64_t offset, std::span<const std::byte> part) = 0;
};

}  // namespace warpfold::data
