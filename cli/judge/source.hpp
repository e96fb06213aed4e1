// The text of a hand-in, and the file that is compiled in its place.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ladder/kind.hpp"

namespace warpfold::cli::judge {

/// The ladders in words.
inline constexpr std::string_view list_of_ladders = "reduce, scan, sort, histogram or select";

/// A file that is no hand-in; says in one line why, without the file's name.
class refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws `refused` for a file that can't be read, is empty, too large or no text.
std::string read_hand_in(const std::string& file);

/// The comment `// launch: kernel<<<grid, block, shared>>>(in, out, n)`.
struct launch_line {
  int line = 0;
  std::string kernel, grid, block, shared, arguments;
};
/// Throws `refused` where such a comment can't be read.
std::optional<launch_line> find_launch_line(ladder::ladder_kind kind, std::string_view text);

/// The file to compile: the hand-in, included by its absolute path, between the judge's own text.
std::string wrapped(ladder::ladder_kind kind, const std::string& path,
                    const std::optional<launch_line>& launch);

/// Why the compiler did not find the function: there is none, or it has another signature.
std::string signature_problem(ladder::ladder_kind kind, std::string_view text);

/// Throws `refused` where the function's name is a kernel's, and nothing says how that is launched.
void refuse_bare_kernel(ladder::ladder_kind kind, std::string_view text);

/// A hand-in to begin with: `form` is "function" or "kernel".
std::string template_text(ladder::ladder_kind kind, std::string_view form);

/// "extern "C" void reduce(const int* in, int* out, size_t n)". A select is no function of C: its
/// name is one of the C library's.
std::string signature_of(ladder::ladder_kind kind);

}  // namespace warpfold::cli::judge
