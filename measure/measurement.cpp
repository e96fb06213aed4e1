#include "measure/measurement.hpp"

#include <algorithm>
#include <cmath>

#include "measure/figure.hpp"

namespace warpfold::measure {

double timing::quantile(double q) const {
  if (summary) {
    return q == 0.5    ? summary->median_us
           : q == 0.25 ? summary->q1_us
           : q == 0.75 ? summary->q3_us
                       : none;
  }
  const auto is_nan = [](double us) { return std::isnan(us); };
  if (samples_us.empty() || std::isnan(q) ||
      std::any_of(samples_us.begin(), samples_us.end(), is_nan))
    return none;
  std::vector<double> sorted = samples_us;
  std::sort(sorted.begin(), sorted.end());
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

const double* measurement::find(std::string_view counter_name) const {
  const auto found = std::find_if(counters.begin(), counters.end(),
                                  [&](const counter& c) { return c.name == counter_name; });
  return found == counters.end() ? nullptr : &found->value;
}

double measurement::gigabytes_per_second() const {
  const double us = timing ? timing->median() : 0;
  return us > 0 ? static_cast<double>(useful_bytes) / us * 1e-3 : 0;
}

}  // namespace warpfold::measure
