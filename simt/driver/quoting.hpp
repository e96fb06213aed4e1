// Options within options, and commands as a shell reads them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace simt::driver {

using words = std::vector<std::string>;
inline void append(words& to, const words& more) { to.insert(to.end(), more.begin(), more.end()); }

/// A command line that can't be followed; the message says what to do.
class usage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// As a shell takes a line apart: at blanks, quotes and backslashes removed.
words shell_words(const std::string& line);

/// The value of -Xcompiler: nvcc makes blanks of commas and drops backslashes, neither within
/// double quotes, and a shell reads what is left.
words packed_options(const std::string& value);

/// A command that a shell would read as these words.
std::string in_shell(const words& command);

}  // namespace simt::driver
