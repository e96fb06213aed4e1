#include "cli/ladder/streams_json.hpp"

#include "cli/ladder/rungs_json.hpp"
#include "measure/facts.hpp"

namespace warpfold::cli {

namespace {

using measure::json;

std::string_view name_of(simt::engine where) {
  switch (where) {
    case simt::engine::host: return "host";
    case simt::engine::copy_in: return "copy_in";
    case simt::engine::copy_out: return "copy_out";
    case simt::engine::compute: return "compute";
    case simt::engine::callback: return "callback";
  }
  return "";
}

json span_json(const simt::timeline_span& s) {
  json j{{"engine", name_of(s.where)}, {"stream", s.stream}, {"what", s.what}};
  if (s.label >= 0) j["chunk"] = s.label;
  j["begin_us"] = s.begin_us;
  j["end_us"] = s.end_us;
  return j;
}

}  // namespace

json streams_json(const ladder::streams_result& found,
                  std::span<const ladder::streams_rung* const> rungs) {
  json more;
  more["rungs"] = json::array();
  for (const auto* r : rungs) more["rungs"].push_back(rung_json(r->about));
  const simt::engine_speeds& s = found.speeds;
  more["speeds"] = {{"copy_in_gbs", s.copy_in_gbs}, {"copy_out_gbs", s.copy_out_gbs},
                    {"kernel_gbs", s.kernel_gbs},   {"pageable_gbs", s.pageable_gbs},
                    {"host_gbs", s.host_gbs},       {"call_us", s.call_us},
                    {"latency_us", s.latency_us},   {"copy_engines", s.copy_engines}};
  more["timelines"] = json::array();
  for (const auto& row : found.rows) {
    json& line = more["timelines"].emplace_back(json{{"rung", measure::rung_label(row.record)}});
    line["spans"] = json::array();
    for (const auto& span : row.spans) line["spans"].push_back(span_json(span));
  }
  return more;
}

}  // namespace warpfold::cli
