#include "measure/markdown.hpp"

#include <string_view>
#include <vector>

#include "measure/columns.hpp"
#include "measure/text.hpp"

namespace warpfold::measure {
namespace {

/// On one line, and with no bar that would end the cell.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : unbroken(text)) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string markdown_table(std::span<const column> columns) {
  std::string heads = "|", rules = "|";
  for (const column& c : columns) {
    heads += " " + escaped(c.header) + " |";
    rules += c.number ? "---:|" : "---|";
  }
  std::string out = heads + "\n" + rules + "\n";
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    out += "|";
    for (const column& c : columns) out += " " + escaped(c.cells[row].text) + " |";
    out += "\n";
  }
  return out;
}

std::string markdown_table(std::span<const measurement> rows) {
  return rows.empty() ? "" : markdown_table(columns_of(rows, view::document));
}

}  // namespace warpfold::measure
