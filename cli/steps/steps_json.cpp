#include "cli/steps/steps_json.hpp"

#include <cmath>

#include "cli/steps/steps_text.hpp"
#include "measure/json.hpp"

namespace warpfold::cli {

namespace {

using ladder::step;
using ladder::step_array;
using ladder::step_cells;
using ladder::walkthrough;
using measure::json;

/// Numbers where JSON has them; NaN and infinities as text; null if unwritten.
json cell_json(const step_array& array, const step_cells& cells, std::size_t index) {
  if (index >= cells.size() || !cells[index]) return nullptr;
  const ladder::scalar value = ladder::load_scalar(array.type, &*cells[index]);
  if (is_floating(value.type)) {
    return std::isfinite(value.real) ? json(value.real) : json(to_text(value));
  }
  if (value.type == value_type::u64) return static_cast<std::uint64_t>(value.whole);
  return value.whole;
}

json cells_json(const step_array& array, const step_cells& cells) {
  json all = json::array();
  for (std::size_t i = 0; i < cells.size(); ++i) all.push_back(cell_json(array, cells, i));
  return all;
}

json places_json(const std::vector<ladder::step_cell>& cells) {
  json all = json::array();
  for (const auto& c : cells) all.push_back({c.array, c.index});
  return all;
}

std::string_view name_of(ladder::step_space space) {
  constexpr std::string_view names[] = {"global", "shared", "registers"};
  return names[static_cast<std::size_t>(space)];
}

std::string_view name_of(ladder::request_kind what) {
  constexpr std::string_view names[] = {"load", "store", "atomic"};
  return names[static_cast<std::size_t>(what)];
}

json request_json(const ladder::step_request& r) {
  json j{
      {"block", r.block}, {"warp", r.warp}, {"what", name_of(r.what)}, {"space", name_of(r.space)}};
  if (r.conflicts > 0) j["conflicts"] = r.conflicts;
  j["cells"] = json::array();
  for (const auto& [lane, cell] : r.cells) j["cells"].push_back({lane, cell.array, cell.index});
  return j;
}

json step_json(const walkthrough& w, const step& s) {
  json j;
  if (s.number > 0) j["number"] = s.number;
  j["launch"] = s.launch;
  j["what"] = heading_of(w, s);
  if (const auto stride = s.stride()) j["stride"] = *stride;
  if (const auto mirror = s.mirror()) j["mirror"] = *mirror;
  if (!s.taken_by.empty()) j["taken_by"] = s.taken_by;
  if (!s.ended_by.empty()) j["ended_by"] = s.ended_by;
  if (s.conflicts > 0) {
    j["bank_conflicts"] = s.conflicts;
    j["in_conflict"] = places_json(s.in_conflict);
  }
  j["threads"] = json::array();
  for (const auto& m : s.moves) {
    j["threads"].push_back({{"block", m.block},
                            {"thread", m.thread},
                            {"applies", m.applies},
                            {"reads", places_json(m.reads)},
                            {"writes", places_json(m.writes)}});
  }
  j["requests"] = json::array();
  for (const auto& r : s.requests) j["requests"].push_back(request_json(r));
  j["after"] = json::array();
  for (const auto& after : s.after) {
    j["after"].push_back(
        {{"array", after.array}, {"cells", cells_json(w.arrays[after.array], after.cells)}});
  }
  return j;
}

}  // namespace

std::string steps_json(const walkthrough& w, std::string_view rung) {
  json j;  // without its lists, which stand one entry a line
  j["schema"] = 1;
  j["ladder"] = name_of(w.ladder);
  j["rung"] = rung;
  j["block"] = w.block;
  j["blocks"] = w.blocks;
  j["launches"] = w.launches;
  j["right"] = w.verdict.right;
  j["result"] = w.verdict.result;
  j["expected"] = w.verdict.expected;
  j["result_array"] = w.result;
  std::string text = j.dump();
  text.back() = ',';
  const auto add_list = [&](const char* name, const auto& all, auto&& entry_of) {
    text += std::string("\n\"") + name + "\":[";
    for (const auto& each : all) {
      text += (text.back() == '[' ? "\n" : ",\n") + entry_of(each).dump();
    }
    text += "]";
  };
  add_list("arrays", w.arrays, [](const step_array& a) {
    return json{{"name", a.name},
                {"type", name_of(a.type)},
                {"space", name_of(a.space)},
                {"offset", a.offset},
                {"cells", cells_json(a, a.cells)}};
  });
  text += ",";
  add_list("steps", w.steps, [&](const step& s) { return step_json(w, s); });
  return text + "}\n";
}

}  // namespace warpfold::cli
