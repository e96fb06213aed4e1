// Sorting files that need not fit in memory: sorted runs in a scratch file, then one merge of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "data/number_input.hpp"
#include "data/output.hpp"
#include "files/run.hpp"

namespace warpfold::files {

/// Where a column of a sorted file goes: to `file`, from byte `begin` on.
struct column_output {
  data::output* file = nullptr;
  std::uint64_t begin = 0;
};

struct sort_request {
  data::number_input& keys;
  data::number_input* items;  // one for each key, moved along with it; may be null
  bool descending;
  column_output keys_out, items_out;
  std::filesystem::path scratch_folder;
};

/// Throws usage_error for a stream, and when there are not as many items as keys.
void check_sort(const sort_request& request);

/// Sorts by key, in the order of warpfold::ascending or descending; equal keys keep their order.
/// The scratch file takes as many bytes as the input. Throws what check_sort throws, and
/// usage_error if the memory is too small for this number of runs.
void sort_all(const sort_request& request, const run_options& o);

/// Sorts rows in memory: unsigned keys of 1, 4 or 8 bytes, and items of 0, 1, 4 or 8 bytes.
class row_sorter {
 public:
  virtual ~row_sorter() = default;
  /// By key, ascending and stable. `items` is empty where there are none.
  virtual void sort(std::span<std::byte> keys, std::span<std::byte> items) = 0;
  /// Copies of the rows that it needs beside them in the host's memory.
  [[nodiscard]] virtual unsigned spare_copies() const = 0;
};
/// Its sorts throw `interrupted` at `stop`, and leave the rows in any order then.
std::unique_ptr<row_sorter> make_host_sorter(std::size_t key_bytes, std::size_t item_bytes,
                                             unsigned threads, std::stop_token stop);
/// For words of 4 and 8 bytes, and no more than `rows` rows at once; throws device_error when the
/// device has no room for them.
std::unique_ptr<row_sorter> make_device_sorter(std::size_t key_bytes, std::size_t item_bytes,
                                               std::size_t rows);

}  // namespace warpfold::files
