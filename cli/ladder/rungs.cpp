#include "cli/ladder/rungs.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/words.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

void throw_no_rung(std::string_view wanted, std::span<const std::string> names,
                   const std::string& otherwise) {
  throw usage_error(fmt::format("rung {}: there is no such rung; {}", wanted,
                                nearest_or(wanted, names, otherwise)));
}

namespace {

/// Null for a rung of the host.
const ladder::rung* find_rung(std::string_view wanted, std::span<const ladder::rung* const> all,
                              std::span<const ladder::description> on_host) {
  for (const auto* r : all) {
    if (is_named(r->about, wanted)) return r;
  }
  for (const auto& about : on_host) {
    if (is_named(about, wanted)) return nullptr;
  }
  const auto last = std::max_element(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return a->about.number < b->about.number;
  });
  std::vector<std::string> names;
  for (const auto* r : all) names.emplace_back(r->about.name);
  for (const auto& about : on_host) names.emplace_back(about.name);
  throw_no_rung(wanted, names,
                fmt::format("the ladder's --list shows 0 to {}", (*last)->about.number));
}

}  // namespace

ladder::ladder_kind parse_ladder(std::string_view text) {
  if (const auto kind = ladder::ladder_named(text)) return *kind;
  std::vector<std::string> names;
  for (const ladder::ladder_kind kind : ladder::ladder_kinds) names.emplace_back(name_of(kind));
  throw usage_error(
      fmt::format("there is no ladder {} with kernels to show; {}", text, suggestion(text, names)));
}

bool is_named(int number, std::string_view name, std::string_view wanted) {
  int given = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [stop, problem] = std::from_chars(wanted.data(), end, given);
  return name == wanted || (problem == std::errc{} && stop == end && given == number);
}

bool is_named(const ladder::description& about, std::string_view wanted) {
  return about.reference ? about.name == wanted : is_named(about.number, about.name, wanted);
}

std::vector<const ladder::rung*> choose_rungs(std::string_view names,
                                              std::span<const ladder::rung* const> all,
                                              std::span<const ladder::description> on_host) {
  if (names.empty()) return {all.begin(), all.end()};
  std::set<const ladder::rung*> wanted;
  while (!names.empty()) {
    const auto comma = std::min(names.find(','), names.size());
    wanted.insert(find_rung(names.substr(0, comma), all, on_host));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  std::vector<const ladder::rung*> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
               [&](const auto* r) { return wanted.contains(r); });
  return chosen;
}

const ladder::description& choose_description(std::string_view name,
                                              std::span<const ladder::rung* const> all,
                                              std::span<const ladder::description> on_host) {
  if (const auto* r = find_rung(name, all, on_host)) return r->about;
  return *std::find_if(on_host.begin(), on_host.end(),
                       [&](const auto& about) { return is_named(about, name); });
}

const ladder::rung& choose_rung(std::string_view name, std::span<const ladder::rung* const> all,
                                std::span<const ladder::description> on_host) {
  if (const auto* r = find_rung(name, all, on_host)) return *r;
  throw usage_error(fmt::format("rung {}: it runs on the host and has no kernel", name));
}

}  // namespace warpfold::cli
