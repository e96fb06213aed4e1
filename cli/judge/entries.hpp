// What a hand-in offers: one entry for each type and operator that its function takes.
#pragma once

#include <cstddef>

namespace warpfold_judge {

struct entry {
  const char* type;   // "i32"; nullptr: the function does not take it
  const char* op;     // "sum"; "" of a sort
  std::size_t size;   // of a value, in bytes
  bool may_write_in;  // the function takes its input as T*, not as const T*
  void (*call)(const void* in, void* out, std::size_t n);
};

extern const entry entries[];
extern const std::size_t entry_count;

}  // namespace warpfold_judge
