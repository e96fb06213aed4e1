#include "ladder/run/evidence.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "measure/text.hpp"

namespace warpfold::ladder {
namespace {

using measure::measurement;

const measurement* row_of(const description& about, std::span<const measurement> rows) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const measurement& m) {
    return m.number == about.number && m.name == about.name;
  });
  return row == rows.end() ? nullptr : &*row;
}

std::string direction(const change& c) {
  if (c.most < 1) return "↓";
  return c.least > 1 || c.most > 2 ? "↑" : "=";
}

std::string number(double value) {
  const bool whole = value == std::floor(value);
  return measure::with_separators(value, whole ? 0 : measure::decimals_for(value));
}

}  // namespace

const measurement* baseline_of(const description& about, std::span<const measurement> rows) {
  const measurement* found = nullptr;
  for (const measurement& m : rows) {
    const bool kernel =
        m.backend != measure::backend_kind::host && !m.reference && m.skipped.empty();
    const bool fits =
        about.compared_with > 0 ? m.number == about.compared_with : m.number < about.number;
    if (kernel && fits && (found == nullptr || m.number > found->number)) found = &m;
  }
  return found;
}

std::string evidence_text(const description& about, std::span<const measurement> rows) {
  std::string text;
  const measurement* const before = baseline_of(about, rows);
  const measurement* const after = row_of(about, rows);
  for (const change& c : about.evidence) {
    if (c.of == measure::figure::none) continue;
    text += text.empty() ? "" : ", ";
    text += measure::name_of(c.of) + " ";
    text += before != nullptr && after != nullptr
                ? fmt::format("{} → {}", number(measure::value_of(*before, c.of)),
                              number(measure::value_of(*after, c.of)))
                : direction(c);
  }
  if (!text.empty() && about.compared_with > 0) {
    text += fmt::format(" (against {:02})", about.compared_with);
  }
  if (!about.also.empty()) text += (text.empty() ? "" : "; ") + std::string(about.also);
  return text;
}

bool holds(const change& expected, double before, double after) {
  if (before == 0) return after > 0 && expected.most > 1;
  const double ratio = after / before;
  return ratio >= expected.least && ratio <= expected.most;
}

}  // namespace warpfold::ladder
