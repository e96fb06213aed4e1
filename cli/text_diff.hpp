// The difference of two texts, as a unified diff.
#pragma once

#include <string>
#include <vector>

namespace warpfold::cli {

using lines = std::vector<std::string>;

/// Without the empty ones at the end.
lines lines_of(const std::string& text);

/// A diff's lines as on a terminal, in colour or not.
class painter {
 public:
  explicit painter(bool color) : color_(color) {}
  /// "--- from", "+++ to".
  [[nodiscard]] std::string titles(const std::string& from, const std::string& to) const;
  [[nodiscard]] std::string hunk(const std::string& text) const;
  [[nodiscard]] std::string changed(char sign, const std::string& text) const;

 private:
  [[nodiscard]] std::string in(const char* code, const std::string& text) const;

  bool color_;
};

/// What changed, with three lines around it.
std::string hunks(const lines& from, const lines& to, const painter& paint);

}  // namespace warpfold::cli
