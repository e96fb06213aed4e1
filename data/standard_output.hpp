// Standard output for bytes, as other filters have it: what was written stays written, whatever
// comes after.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "data/output.hpp"
#include "warpfold/error.hpp"

namespace warpfold::data {

/// Whether a path stands for standard output: "-", or "/dev/stdout".
bool is_standard_output(const std::filesystem::path& path);

/// The reader of a pipe has gone.
class broken_pipe : public data_error {
 public:
  using data_error::data_error;
};

class standard_output final : public output {
 public:
  /// A wait for a reader ends at `stop`. Throws data_error when nothing can be written.
  explicit standard_output(std::stop_token stop);
  ~standard_output() override;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool in_order() const override { return true; }
  void reserve(std::uint64_t /*bytes*/) override {}
  /// SIGPIPE must be blocked or ignored: a pipe without a reader is an exception, broken_pipe.
  void write(std::uint64_t offset, std::span<const std::byte> part) override;
  /// After the last write: what is only found out now was written in vain.
  void finish();

 private:
  std::string name_ = "standard output";
  int descriptor_ = -1;
  bool is_file_ = false;
  std::uint64_t written_ = 0;
  std::stop_token stop_;
};

}  // namespace warpfold::data
