// What nvcc refuses and C++ does not: a function of the host in a kernel, one of the device on the
// host, an initialised __shared__ variable. Clang parses the text as CUDA, and what it says about
// the sides of functions and variables is said to the user; all else is left to the compilation.
#pragma once

#include <string>
#include <string_view>

#include "compile.hpp"
#include "markers.hpp"

namespace simt::source_step {

/// A preprocessed text, parted at a marker; clang's pragmas say which side the functions of headers
/// are of.
parted_text with_sides(std::string_view preprocessed, std::size_t end);

/// What clang said in its CUDA mode, less what is not about sides.
struct side_errors {
  std::string text;
  std::size_t errors = 0;
};
side_errors errors_about_sides(std::string_view said, std::string_view headers);

/// Checks the two preprocessed texts of a file that `options` would compile, and says what is wrong
/// on stderr. Returns whether it may be compiled. `scratch` begins the names of temporary files.
bool check_sides(const words& options, std::string_view device, std::string_view host,
                 const std::string& scratch);

}  // namespace simt::source_step
