#include "cli/ladder/explain.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ladder/run/evidence.hpp"
#include "measure/text.hpp"

namespace warpfold::cli {

namespace {

constexpr std::size_t heading_width = 15, line_width = 100;

/// Breaks `text` between words; every line but the first begins under the first one's text.
std::string field(std::string_view heading, std::string_view text) {
  if (text.empty()) return {};
  std::string all = fmt::format("    {:<{}}", heading, heading_width - 4);
  std::size_t width = heading_width;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, end));
    const std::size_t needed = measure::display_width(word) + 1;
    if (width > heading_width && width + needed > line_width) {
      all += "\n" + std::string(heading_width, ' ');
      width = heading_width;
    }
    all += (width > heading_width ? " " : "") + word;
    width += needed;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all + "\n";
}

std::string published_text(const ladder::published& p) {
  std::string text;
  if (p.g80_gbs > 0) text += fmt::format("{:.2f} GB/s on a G80 (2^22 i32)", p.g80_gbs);
  if (p.k40m_gbs > 0) {
    text += fmt::format("{}{:.2f} GB/s on a Tesla K40m (2^26 i32)", text.empty() ? "" : ", ",
                        p.k40m_gbs);
  }
  return text;
}

}  // namespace

std::string list_line(const ladder::description& about) {
  return fmt::format("{:02}  {:<24}  {}  ({})\n", about.number, about.name, about.idea,
                     about.source);
}

std::string why_text(const ladder::description& about) {
  return field("improves", about.improves) + field("watch", ladder::evidence_text(about)) +
         field("corrected", about.corrections);
}

std::string explain_text(std::string_view ladder, const ladder::description& about,
                         std::span<const measure::measurement> rows, std::string_view problem) {
  std::string text = fmt::format("{}/{:02} {}\n", ladder, about.number, about.name) +
                     field("idea", about.idea) + field("improves", about.improves) +
                     field("watch", ladder::evidence_text(about, rows));
  const measure::measurement* const before = ladder::baseline_of(about, rows);
  if (before != nullptr && about.evidence.front().of != measure::figure::none) {
    text += field("", fmt::format("({:02} {} → {:02} {}; {})", before->number, before->name,
                                  about.number, about.name, problem));
  }
  text += field("corrected", about.corrections) +
          field("published", published_text(about.published)) + field("source", about.source);
  const bool has_kernel = ladder != "streams" && !about.improves.empty();
  std::string see = has_kernel
                        ? fmt::format("warpfold steps {}/{:02}", ladder, about.number)
                        : fmt::format("warpfold ladder {} --rung {:02}", ladder, about.number);
  if (has_kernel && before != nullptr) {
    see =
        fmt::format("warpfold ladder diff {} {} {}; {}", ladder, before->number, about.number, see);
  }
  return text + field("see", see);
}

}  // namespace warpfold::cli
