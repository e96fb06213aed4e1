#include "cli/judge/output.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/words.hpp"
#include "measure/facts.hpp"
#include "measure/table.hpp"

namespace warpfold::cli::judge {

namespace {

using measure::json;
using measure::measurement;

/// The hand-in between the rungs that it beats and those that beat it, two of each.
std::vector<measurement> neighbours(const measurement& own, const ladder_rows& rows) {
  constexpr std::size_t each = 2;
  std::vector<measurement> all = rows.all();
  std::stable_sort(all.begin(), all.end(), [](const measurement& a, const measurement& b) {
    return a.predicted->median_us > b.predicted->median_us;
  });
  const auto at = std::find_if(all.begin(), all.end(), [&](const measurement& m) {
    return m.predicted->median_us <= own.predicted->median_us;
  });
  const auto before = static_cast<std::size_t>(at - all.begin());
  const std::size_t from = before < each ? 0 : before - each;
  std::vector<measurement> shown(all.begin() + static_cast<std::ptrdiff_t>(from), at);
  shown.push_back(own);
  shown.insert(shown.end(), at,
               all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), before + each)));
  for (measurement& m : shown) {
    m.begins_series = true;  // no step from the row before
    m.type = own.type;
    m.verdict = own.verdict;
  }
  return shown;
}

std::string rung_path(const measurement& m) { return fmt::format("{}", m.number); }

std::string place_text(const verdict& v, const ladder_rows& rows) {
  const placed p = place(v, rows);
  if (p.like == nullptr) return {};
  std::string text = "\n" + measure::table(neighbours(*v.row, rows), measure::style_of_output());
  text +=
      fmt::format("\nlike rung {}; faster than {} rungs, {} are faster; {:.0f} % of the roofline\n",
                  measure::rung_label(*p.like), p.slower, p.faster, p.roofline_pct);
  if (!v.lines.empty()) {
    const costly_line& l = v.lines.front();
    text +=
        fmt::format("costliest line: {}:{}, {:.0f} % of the time\n", l.file, l.line, l.share * 100);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(3, v.remarks.size()); ++i) {
    text += v.remarks[i] + "\n";
  }
  if (p.next != nullptr) {
    text += fmt::format("next: rung {}: {}\n", measure::rung_label(*p.next), p.next_idea);
    for (const std::string& c : p.changes) text += "  " + c + "\n";
    if (p.next->number != p.like->number) {
      text += fmt::format("  warpfold ladder diff {} {} {}\n", ladder::name_of(v.ladder),
                          rung_path(*p.like), rung_path(*p.next));
    }
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : text) {
    switch (c) {
      case '&': xml += "&amp;"; break;
      case '<': xml += "&lt;"; break;
      case '>': xml += "&gt;"; break;
      case '"': xml += "&quot;"; break;
      case '\n': xml += "&#10;"; break;
      default: xml += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return xml;
}

std::string quoted_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

bool passes(const verdict& v) { return v.is == outcome::right; }

json json_of(const verdict& v, const ladder_rows& rows) {
  json j{{"file", v.file},
         {"verdict", name_of(v.is)},
         {"sentence", v.sentence},
         {"score", score(v, rows)},
         {"cases", v.cases}};
  if (v.wrong) {
    const trial& t = v.wrong->at;
    j["wrong"] = {{"n", t.n},         {"type", t.of.type},         {"op", t.of.op},
                  {"order", t.order}, {"input", name_of(t.input)}, {"what", v.wrong->what}};
    if (t.bins != 0) j["wrong"]["bins"] = t.bins;
  }
  j["findings"] = json::array();
  for (const judged_finding& f : v.findings) {
    j["findings"].push_back({{"kind", f.kind},
                             {"kernel", f.kernel},
                             {"file", f.file},
                             {"line", f.line},
                             {"n", f.n},
                             {"mend", f.mend},
                             {"text", f.text}});
  }
  j["errors"] = v.errors;
  if (!v.details.empty()) j["compiler"] = v.details;
  if (v.row) {
    j["measurement"] = measure::to_json(*v.row);
    const placed p = place(v, rows);
    if (p.like != nullptr) {
      const double like_us = p.like->predicted->median_us;
      j["place"] = {{"like", measure::rung_label(*p.like)},
                    {"of_like", v.row->predicted->median_us / like_us},
                    {"beats", p.slower},
                    {"beaten_by", p.faster},
                    {"roofline_pct", p.roofline_pct}};
      if (p.next != nullptr) {
        j["place"]["next"] = {
            {"rung", measure::rung_label(*p.next)}, {"idea", p.next_idea}, {"changes", p.changes}};
      }
    }
    j["lines"] = json::array();
    for (const costly_line& l : v.lines) {
      j["lines"].push_back({{"file", l.file}, {"line", l.line}, {"share", l.share}});
    }
    j["remarks"] = v.remarks;
  }
  j["seconds"] = {{"compile", v.seconds.compile}, {"run", v.seconds.run}};
  return j;
}

}  // namespace

std::string text_of(const verdict& v, const ladder_rows& rows) {
  std::string text = fmt::format("{}: {}\n", printable(v.file), v.sentence);
  if (!v.details.empty()) text += v.details;
  for (const judged_finding& f : v.findings) text += "\n" + f.text;
  if (v.errors.size() > 1) {
    for (const std::string& e : v.errors) text += e + "\n";
  }
  if (v.row) text += place_text(v, rows);
  if (v.seconds.run > 0) {
    text += fmt::format("{} cases right; compiled in {:.1f} s, ran for {:.1f} s; score {}\n",
                        v.cases, v.seconds.compile, v.seconds.run, score(v, rows));
  }
  return text;
}

std::string json_of(std::span<const verdict> all, const ladder_rows& rows, std::uint64_t seed) {
  json j{{"schema", 1},
         {"ladder", all.empty() ? "" : ladder::name_of(all.front().ladder)},
         {"seed", seed},
         {"confinement", name_of(confinement_here())},
         {"hand_ins", json::array()}};
  for (const verdict& v : all) j["hand_ins"].push_back(json_of(v, rows));
  return j.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string junit_of(std::span<const verdict> all) {
  const auto failed =
      std::count_if(all.begin(), all.end(), [](const verdict& v) { return !passes(v); });
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"warpfold judge\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\">\n",
      all.size(), failed);
  for (const verdict& v : all) {
    xml +=
        fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                    ladder::name_of(v.ladder), escaped(v.file), v.seconds.compile + v.seconds.run);
    if (passes(v)) {
      xml += "/>\n";
      continue;
    }
    std::string body = v.details;
    for (const judged_finding& f : v.findings) body += f.text;
    xml += fmt::format(">\n    <failure type=\"{}\" message=\"{}\">{}</failure>\n  </testcase>\n",
                       name_of(v.is), escaped(v.sentence), escaped(body));
  }
  return xml + "</testsuite>\n";
}

std::string csv_of(std::span<const verdict> all, const ladder_rows& rows) {
  std::string text = "file,verdict,score,predicted_us,like,findings,sentence\n";
  for (const verdict& v : all) {
    const placed p = v.row ? place(v, rows) : placed{};
    text +=
        fmt::format("{},{},{},{},{},{},{}\n", quoted_field(v.file), name_of(v.is), score(v, rows),
                    p.like != nullptr ? fmt::format("{:.4g}", v.row->predicted->median_us) : "",
                    p.like != nullptr ? measure::rung_label(*p.like) : "", v.findings.size(),
                    quoted_field(v.sentence));
  }
  return text;
}

}  // namespace warpfold::cli::judge
