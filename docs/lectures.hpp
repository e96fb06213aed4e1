// The slides of the four documents that ask something, and what answers it here.
#pragma once

#include <span>

/// In the answer `{03 bytes moved}` is a figure of that rung in the run of the command, and what
/// stands between backticks is printed by it.
struct slide {
  int document;  // by its number
  const char *title, *command, *question, *answer;
};

std::span<const slide> slides();
