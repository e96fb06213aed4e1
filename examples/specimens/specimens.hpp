// Small kernels with one classic mistake each, and their corrected twins. In each file `// [1]` and
// `// [2]` mark the two lines of the finding.
#pragma once

#include <string_view>
#include <vector>

#include "warpfold/platform.hpp"

namespace warpfold::specimens {
using namespace detail;  // the words of platform.hpp; NOLINT(google-build-using-namespace)

/// What a specimen works on: device memory.
struct buffers {
  int* in;            // n values
  int* out;           // n values
  unsigned* scratch;  // 1024 zeros
  unsigned n;
};

inline constexpr unsigned values = 128 * 7;  // n

struct specimen {
  std::string_view name;     // of its file
  std::string_view mistake;  // in a few words
  void (*run)(bool mended, const buffers& b);
  // What its author can ask for, beyond what is always checked.
  bool reads_all = false;     // of `in`
  bool no_conflicts = false;  // of banks
};

const std::vector<specimen>& all();

void missing_barrier(bool mended, const buffers& b);
void warp_tail_volatile(bool mended, const buffers& b);
void warp_tail_plain(bool mended, const buffers& b);
void past_the_end(bool mended, const buffers& b);
void dropped_tail(bool mended, const buffers& b);
void stale_buffer(bool mended, const buffers& b);
void offset_precedence(bool mended, const buffers& b);
void last_block_no_fence(bool mended, const buffers& b);
void look_back_block_index(bool mended, const buffers& b);
void ticket_not_reset(bool mended, const buffers& b);
void narrow_mask(bool mended, const buffers& b);
void early_return(bool mended, const buffers& b);

}  // namespace warpfold::specimens
