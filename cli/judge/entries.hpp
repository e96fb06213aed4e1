// What a hand-in offers: one entry for each type and operator that its function takes.
#pragma once

#include <cstddef>

namespace warpfold_judge {

/// What a function is called with.
struct arguments {
  const void* in;
  void* out;
  std::size_t n;
  unsigned bins;             // of a histogram
  unsigned long long* kept;  // of a select: for the number of values
};

struct entry {
  const char* type;   // "i32"; nullptr: the function does not take it
  const char* op;     // "sum"; "" of a sort, a histogram, a select
  std::size_t size;   // of a value, in bytes
  bool may_write_in;  // the function takes its input as T*, not as const T*
  void (*call)(const arguments& a);
};

extern const entry entries[];
extern const std::size_t entry_count;

}  // namespace warpfold_judge
