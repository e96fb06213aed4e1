// An unrounded sum in a file (docs/exact.md has its bytes), to which several runs may add.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

#include "data/output_file.hpp"
#include "files/reduce.hpp"

namespace warpfold::files {

class accumulator_file {
 public:
  /// There need be no file yet. Throws data_error when there is one that is no sum of values of
  /// `type`, and when nothing can be written beside it.
  accumulator_file(const std::filesystem::path& path, value_type type, bool as_f64);

  /// Adds the bytes of a sum to what the file holds by now. `tell` gets the rounded total, and the
  /// file is replaced when that has returned: who repeats a call that failed adds nothing twice.
  /// Once only. Other runs wait meanwhile; `interrupted` at `stop`.
  void add(std::vector<std::uint8_t> sum, const std::function<void(const reduced&)>& tell,
           const std::stop_token& stop);

 private:
  /// The bytes that it holds; none where there is no file.
  [[nodiscard]] std::vector<std::uint8_t> read() const;

  data::output_file next_;
  value_type type_;
  bool as_f64_;  // what the total is rounded to, else to `type`
};

}  // namespace warpfold::files
