#include "cli/ladder/scaling_json.hpp"

#include <fmt/format.h>

#include "cli/provenance.hpp"
#include "measure/json.hpp"

namespace warpfold::cli {

namespace {

using ladder::scaling_row;
using measure::json;

json row_json(const scaling_row& row) {
  const ladder::rung& r = *row.which;
  json j;
  j["rung"] = fmt::format("{:02} {}", r.about.number, r.about.name);
  if (r.textbook.of != nullptr) j["textbook"] = r.textbook.text;
  j["points"] = json::array();
  for (const auto& p : row.points) {
    json& point = j["points"].emplace_back(
        json{{"n", p.n}, {"block", p.block}, {"uses", p.uses}, {"depth", p.depth}});
    if (r.textbook.of != nullptr) point["textbook"] = r.textbook.of(static_cast<double>(p.n));
    if (r.work != nullptr) point["own"] = p.own;
    point["barriers"] = p.barriers;
    point["launches"] = p.launches;
    point["right"] = p.right;
  }
  return j;
}

json rows_json(std::span<const scaling_row> rows) {
  json all = json::array();
  for (const auto& row : rows) all.push_back(row_json(row));
  return all;
}

}  // namespace

std::string scaling_json(const ladder::ladder_entry& here, const scaling_result& found) {
  const measure::run_info run = provenance(measure::run_info{});
  json j{{"schema", 1}, {"ladder", name_of(here.kind)}, {"block", found.block}};
  j["run"] = {{"commit", run.commit}, {"command", run.command}};
  j["one_block"] = rows_json(found.one_block);
  j["scaling"] = rows_json(found.blocks);
  j["cost"] = json::array();
  for (const auto& row : found.cost) {
    j["cost"].push_back({{"who", row.who},
                         {"threads", row.threads},
                         {"depth", row.depth},
                         {"formula", row.formula}});
  }
  return j.dump() + "\n";
}

}  // namespace warpfold::cli
