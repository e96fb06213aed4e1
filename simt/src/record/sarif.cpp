// A run as SARIF 2.1.0, with what services for code scanning ask for.
#include "simt/sarif.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "simt/report.hpp"
#include "simt/src/record/sarif_results.hpp"

namespace simt {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* root_name = "%SRCROOT%";

/// "race between warps" as a rule's name: "race-between-warps".
std::string id_of(std::string rule) {
  std::replace(rule.begin(), rule.end(), ' ', '-');
  std::erase(rule, '\'');
  return rule;
}

std::string sentence(std::string text) {
  if (text.empty()) return text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text.back() == '.' ? text : text + ".";
}

/// RFC 3986's unreserved characters and the slash stay.
std::string as_uri(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte) != 0) ||
        std::string_view("-._~/").find(c) != std::string_view::npos) {
      uri += c;
      continue;
    }
    std::array<char, 4> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "%%%02X", byte);
    uri += escaped.data();
  }
  return uri;
}

/// FNV-1a.
class hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0);
  }
  [[nodiscard]] std::string text() const {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", value_);
    return digits.data();
  }

 private:
  void mix(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  unsigned long long value_ = 0xcbf29ce484222325ULL;
};

class log_writer {
 public:
  explicit log_writer(const sarif_run& run) : run_(run), root_(detail::checkout()) {
    for (const sarif_result& r : run.results) add(r);
  }

  [[nodiscard]] json log() const {
    const json driver{{"name", run_.tool}, {"version", WARPFOLD_VERSION}, {"rules", rules_}};
    json invocation{{"executionSuccessful", run_.errors.empty()}};
    for (const std::string& e : run_.errors) {
      invocation["toolExecutionNotifications"].push_back(
          {{"level", "error"}, {"message", {{"text", e}}}});
    }
    const json run{
        {"tool", {{"driver", driver}}},
        {"invocations", json::array({invocation})},
        {"originalUriBaseIds", {{root_name, {{"uri", "file://" + as_uri((root_ / "").string())}}}}},
        {"results", results_}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", json::array({run})}};
  }

 private:
  void add(const sarif_result& r) {
    const sarif_location at = detail::location_of(r, run_);
    json location = physical(at);
    if (!r.kernel.empty()) {
      location["logicalLocations"] = json::array({{{"name", r.kernel}, {"kind", "function"}}});
    }
    json result{{"ruleId", id_of(r.rule)},
                {"ruleIndex", rule(r)},
                {"level", r.note ? "note" : "error"},
                {"message", {{"text", detail::message_of(r)}}},
                {"locations", json::array({location})},
                {"occurrenceCount", r.count},
                {"partialFingerprints", {{"warpfold/v1", fingerprint(r, at)}}}};
    for (const sarif_location& p : r.related) {
      if (p.file.empty()) continue;
      json other = physical(p);
      other["id"] = result["relatedLocations"].size() + 1;
      other["message"] = {{"text", p.text}};
      result["relatedLocations"].push_back(other);
    }
    results_.push_back(result);
  }

  /// Its number among the rules.
  std::size_t rule(const sarif_result& r) {
    const auto [known, fresh] = rule_numbers_.try_emplace(r.rule, rules_.size());
    if (fresh) {
      json rule{{"id", id_of(r.rule)},
                {"shortDescription", {{"text", sentence(r.rule)}}},
                {"fullDescription", {{"text", sentence(r.rule)}}}};
      if (!r.help.empty()) rule["help"] = {{"text", sentence("fix: " + r.help)}};
      rule["defaultConfiguration"] = {{"level", "error"}};
      rules_.push_back(rule);
    }
    return known->second;
  }

  [[nodiscard]] json physical(const sarif_location& at) const {
    if (at.file.empty()) return json::object();
    json artifact;
    const auto path = detail::path_in(root_, at.file);
    artifact["uri"] = (path.is_absolute() ? "file://" : "") + as_uri(path.string());
    if (path.is_relative()) artifact["uriBaseId"] = root_name;
    json place{{"artifactLocation", artifact}};
    if (at.line != 0) place["region"]["startLine"] = at.line;
    if (at.column != 0) place["region"]["startColumn"] = at.column;
    return {{"physicalLocation", place}};
  }

  /// The same wherever the lines stand in their file, and whichever access of a race comes first;
  /// equal results are numbered.
  std::string fingerprint(const sarif_result& r, const sarif_location& at) {
    const auto text_of = [this](const sarif_location& p) {
      return detail::path_in(root_, p.file).string() + '\n' + line_of(p);
    };
    std::set<std::string> places{text_of(at)};
    for (const sarif_location& p : r.related) places.insert(text_of(p));
    hash h;
    h.add(r.rule);
    h.add(r.kernel);
    for (const std::string& p : places) h.add(p);
    return h.text() + ":" + std::to_string(++seen_[h.text()]);
  }

  /// The text of the line, without its indent.
  std::string line_of(const sarif_location& at) {
    if (at.line == 0) return {};
    const auto [known, fresh] = texts_.try_emplace(at.file);
    if (fresh) known->second = read_source(at.file);
    std::istringstream text(known->second);
    std::string line;
    for (int i = 0; i < at.line && std::getline(text, line); ++i) {
    }
    const std::size_t first = line.find_first_not_of(" \t");
    return first == std::string::npos ? "" : line.substr(first);
  }

  const sarif_run& run_;
  std::filesystem::path root_;
  json rules_ = json::array(), results_ = json::array();
  std::map<std::string, std::size_t> rule_numbers_;
  std::map<std::string, unsigned> seen_;
  std::map<std::string, std::string> texts_;
};

}  // namespace

std::string sarif(const sarif_run& run) {
  return log_writer(run).log().dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace simt
