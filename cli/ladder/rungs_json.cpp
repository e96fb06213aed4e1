#include "cli/ladder/rungs_json.hpp"

#include <string>

#include <fmt/format.h>

namespace warpfold::cli {

using measure::json;

json rung_json(const ladder::description& about) {
  json j;
  j["rung"] =
      about.reference ? std::string(about.name) : fmt::format("{:02} {}", about.number, about.name);
  j["idea"] = about.idea;
  const auto add = [&](const char* key, std::string_view text) {
    if (!text.empty()) j[key] = text;
  };
  add("improves", about.improves);
  add("also", about.also);
  add("corrections", about.corrections);
  add("source", about.source);
  if (about.compared_with > 0) j["compared_with"] = about.compared_with;
  if (about.begins_series) j["begins_series"] = true;
  j["evidence"] = json::array();
  for (const ladder::change& c : about.evidence) {
    if (c.of == measure::figure::none) continue;
    j["evidence"].push_back(
        {{"figure", measure::name_of(c.of)}, {"least", c.least}, {"most", c.most}});
  }
  return j;
}

json rungs_json(std::span<const ladder::rung* const> rungs,
                std::span<const ladder::rung_source> sources) {
  json all = json::array();
  for (const auto* r : rungs) {
    json j = rung_json(r->about);
    const std::string number = fmt::format("{:02}_", r->about.number);
    for (const auto& s : sources) {
      if (r->about.reference || !s.stem.starts_with(number)) continue;
      j["file"] = std::string(s.stem) + ".cuh";
      j["text"] = s.text;
    }
    all.push_back(std::move(j));
  }
  return all;
}

}  // namespace warpfold::cli
