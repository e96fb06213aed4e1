#include "measure/side_by_side.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "measure/facts.hpp"
#include "measure/text.hpp"

namespace warpfold::measure {
namespace {

auto job_of(const measurement& row) {
  return std::tie(row.ladder, row.op, row.form, row.type, row.n);
}

std::string job_text(const measurement& row) {
  const std::string form = row.form.empty() ? "" : " " + row.form;
  return fmt::format("{}{} {} {}", row.ladder == "reduce" ? "" : row.ladder + " ", row.op + form,
                     with_separators(static_cast<double>(row.n)), row.type);
}

std::string significant(double value) { return with_separators(value, decimals_for(value)); }

bool has_time(const measurement& row) {
  return is_right(row) && row.timing && row.timing->median() > 0;
}

}  // namespace

std::string side_by_side(std::span<const measurement> rows, std::string_view ours) {
  std::string out =
      "| job | who | time, ms | quartiles | GB/s | % of read | times ours |\n"
      "|---|---|---:|---:|---:|---:|---:|\n";
  for (const measurement& row : rows) {
    out += fmt::format("| {} | {} |", job_text(row), row.name);
    if (!has_time(row)) {
      out += " WRONG | – | – | – | – |\n";
      continue;
    }
    const auto same_job = std::find_if(rows.begin(), rows.end(), [&](const measurement& other) {
      return other.name == ours && job_of(other) == job_of(row) && has_time(other);
    });
    const auto ms = [&](double q) { return significant(row.timing->quantile(q) / 1000); };
    const double rate = row.gigabytes_per_second();
    out += fmt::format(
        " {} | {}–{} | {} | {} | {} |\n", ms(0.5), ms(0.25), ms(0.75), significant(rate),
        row.read_ceiling_gbs > 0 ? fmt::format("{:.1f}", rate / row.read_ceiling_gbs * 100) : "–",
        same_job == rows.end()
            ? "–"
            : fmt::format("{:.2f}", row.timing->median() / same_job->timing->median()));
  }
  return out;
}

}  // namespace warpfold::measure
