// What the pages say of the device library beside CUB: tables and a picture, from the JSON of
// `warpfold bench` and of the programs warpfold_bench_… in bench/results.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

/// One time: who took how long for what.
struct library_row {
  std::string what;  // "sum", "scan" (exclusive), "sort-pairs", "sort-keys-own-order", …
  std::string type, who, call;  // call: "single" or "graph"
  std::size_t n = 0;
  double median_us = 0;
  double gigabytes_per_second = 0;
  double ceiling_gbs = 0;  // measured in the same run; 0 where it was not
};

/// Sorts of neighbouring sizes, from the JSON of warpfold_bench_sort_borders: beside CUB's, and
/// beside that of 1.3 times the rows. Throws where a result is wrong.
std::string border_table(const std::filesystem::path& json);

/// Calls of the library and CUB's or Thrust's behind each, from the JSON of
/// warpfold_bench_selections and the like: microseconds and how many times as long the best peer
/// takes, a column a size. `how`: "graph" or "single". Throws where a result is wrong.
std::string table_beside_cub(const std::filesystem::path& json, const std::string& how);
/// Canonical calls and the plain ones behind each, from the JSON of warpfold_bench_canonical.
std::string table_beside_plain(const std::filesystem::path& json);
/// Calls with sizes in device memory beside the plain ones, from the JSON of warpfold_bench_sized.
std::string table_of_sizes(const std::filesystem::path& json);

class library_results {
 public:
  /// Reads these files of the folder; tables keep their order. Throws where one is not there or a
  /// result is wrong.
  library_results(const std::filesystem::path& folder, std::span<const char* const> names);

  /// A line for each type and size, and what measured them.
  [[nodiscard]] std::string table(const std::string& what) const;
  /// Sorts with items of all sizes, as calls: how many times as fast as the peer.
  [[nodiscard]] std::string item_table(const std::string& peer) const;
  /// Sorts of structs, likewise, beside CUB's sorts of them.
  [[nodiscard]] std::string struct_table() const;
  /// What a newcomer asks first: 4-byte integers, in a graph, at sizes from small to large.
  [[nodiscard]] std::string headline() const;
  /// GB/s over n of sums and exclusive sums of i32 in a graph: warpfold, CUB and the ceiling.
  void draw(const std::filesystem::path& file) const;

 private:
  /// The best of those whose names begin so; null where there is none.
  [[nodiscard]] const library_row* find(const std::string& what, const std::string& type,
                                        std::size_t n, const std::string& who,
                                        const std::string& call) const;
  /// How many times as fast as the peer, a cell for each size.
  [[nodiscard]] std::string ratios(const std::string& what, const std::string& type,
                                   const std::set<std::size_t>& sizes, const std::string& peer,
                                   const std::string& call) const;

  std::vector<library_row> rows_;
  std::vector<std::pair<std::string, std::string>> sources_;  // what, and where it comes from
};
