// What a page is made of: JSON of ladders that run now, or stored JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simt/page/page.hpp"

namespace warpfold::cli {

struct ladder_run {
  std::vector<std::string> ladders;    // "reduce", "streams"
  std::vector<std::string> arguments;  // of each ladder: "--n", "2^20"
  std::string rungs;                   // only these, as for --rung
  std::string values;                  // that steps work on; empty: the lecture's
  bool check = false, timed = false;   // timed: on a GPU, too
};

struct collected {
  std::vector<simt::page::document> documents;
  int code = 0;  // 1: a check failed
};

/// Runs the ladders, and the steps and the growth of each; a program that says why it can't ends
/// this one with its own exit code.
collected run_ladders(const ladder_run& what);

/// The file's text, which must be one of the documents that docs/json.md describes. Throws
/// data_error.
simt::page::document read_document(const std::string& file);

}  // namespace warpfold::cli
