#include "cli/judge/ladder_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/judge/texts.hpp"
#include "ladder/machines/prediction.hpp"
#include "measure/columns.hpp"
#include "measure/facts.hpp"
#include "measure/json.hpp"
#include "simt/prediction.hpp"

namespace warpfold::cli::judge {

namespace {

using measure::figure;
using measure::measurement;

const simt::device_model& h100() {
  static const simt::device_model model = simt::find_device_model("h100");
  return model;
}

bool has_time(const measurement& m) {
  return m.predicted && m.predicted->no_ground.empty() && m.predicted->median_us > 0;
}

double us_of(const measurement& m) { return m.predicted->median_us; }

/// How far apart two rows are: the sum of the logarithms of how their figures differ.
double distance(const measurement& a, const measurement& b) {
  double sum = 0;
  for (const figure f : {figure::load_requests, figure::sectors_per_request, figure::store_requests,
                         figure::bank_conflicts, figure::barriers, figure::branch_uniformity,
                         figure::shared_requests, figure::steps_per_warp, figure::launches}) {
    const double x = value_of(a, f), y = value_of(b, f);
    sum += std::abs(std::log((std::isnan(x) ? 1 : x + 1) / (std::isnan(y) ? 1 : y + 1)));
  }
  return sum + std::abs(std::log(us_of(a) / us_of(b)));
}

}  // namespace

figure figure_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(figure::bytes_moved); ++i) {
    if (measure::name_of(static_cast<figure>(i)) == name) return static_cast<figure>(i);
  }
  return figure::none;
}

ladder_rows::ladder_rows(ladder::ladder_kind kind) {
  const std::string_view text = ladder_text(kind);
  rows_ = measure::parse_json_document(text).measurements;
  for (measurement& m : rows_) {
    m.predicted = ladder::as_measured(simt::predict(simt::parse_profiles(m.profiles), h100()));
  }
  // The library's own call shapes its launches for the CPU machine.
  std::erase_if(rows_, [](const measurement& m) { return m.name == "library" || !has_time(m); });
  const auto document = measure::json::parse(text);
  for (const auto& r : document.at("rungs")) {
    rung_words w{r.at("rung").get<std::string>(), r.value("idea", ""), r.value("improves", ""), {}};
    for (const auto& e : r.value("evidence", measure::json::array())) {
      w.evidence.push_back(figure_named(e.at("figure").get<std::string>()));
    }
    words_.push_back(std::move(w));
  }
}

const rung_words* ladder_rows::words_of(const measurement& row) const {
  const auto at = std::find_if(words_.begin(), words_.end(), [&](const rung_words& w) {
    return w.label == measure::rung_label(row);
  });
  return at == words_.end() ? nullptr : &*at;
}

double ladder_rows::best_us() const {
  const auto best = std::min_element(
      rows_.begin(), rows_.end(), [](const auto& a, const auto& b) { return us_of(a) < us_of(b); });
  return us_of(*best);
}

placed place(const verdict& v, const ladder_rows& rows) {
  const measurement& own = *v.row;
  placed p;
  if (!has_time(own)) return p;
  const auto& all = rows.all();
  const auto like = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return distance(own, a) < distance(own, b);
  });
  p.like = &*like;
  for (const measurement& m : all) (us_of(m) > us_of(own) ? p.slower : p.faster) += 1;
  constexpr double clearly = 0.98;
  const auto next = std::find_if(
      like + 1, all.end(), [&](const measurement& m) { return us_of(m) < clearly * us_of(own); });
  p.roofline_pct =
      static_cast<double>(own.useful_bytes) / h100().read_gbs * 1e-3 / us_of(own) * 100;
  if (next == all.end()) return p;
  p.next = &*next;
  if (const rung_words* const w = rows.words_of(*next)) {
    p.next_idea = w->idea;
    for (const figure f : w->evidence) {
      const std::string before = measure::text_of(own, f), after = measure::text_of(*next, f);
      if (before != after && f != figure::none && before != "–" && after != "–") {
        p.changes.push_back(fmt::format("{} {} → {}", measure::name_of(f), before, after));
      }
    }
  }
  return p;
}

int score(const verdict& v, const ladder_rows& rows) {
  if (v.is > outcome::unclean) return 0;
  int points = v.is == outcome::unclean ? 50 : 70;
  if (v.row && has_time(*v.row)) {
    points += static_cast<int>(std::lround(30 * std::min(1.0, rows.best_us() / us_of(*v.row))));
  }
  return points;
}

}  // namespace warpfold::cli::judge
