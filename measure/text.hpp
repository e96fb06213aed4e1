// Numbers and strings as people read them in a table, and what programs write in one. Every
// character counts as one column wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold::measure {

/// A head of several lines on one: a break becomes a space, or nothing behind a slash.
std::string unbroken(std::string_view text);

/// How many columns a UTF-8 text takes.
std::size_t display_width(std::string_view text);

/// At most `width` columns of `text`; a text that was cut ends in "…".
std::string truncated(std::string_view text, std::size_t width);

/// `text` on one line: control characters, escape sequences' among them, become blanks.
std::string one_line(std::string_view text);

/// 1234567.891 with 1 decimal: "1,234,567.9".
std::string with_separators(double value, int decimals = 0);

/// Three significant digits and a decimal prefix: "12.3 k", "16.8 MB" (with unit "B").
std::string humanised(double value, std::string_view unit = "");

/// The fields of a line of CSV, as Nsight Compute writes it, their quotes taken off.
std::vector<std::string> csv_fields(std::string_view line);

/// How many decimals give `value` three significant digits, but not more than four.
int decimals_for(double value);
/// `value` with as many.
std::string significant(double value);

}  // namespace warpfold::measure
