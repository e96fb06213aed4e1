#include "ladder/machines/prediction.hpp"

#include <cmath>
#include <string>

namespace warpfold::ladder {

namespace {

/// No prediction has more; where sectors land in a cache moves the eighth digit from run to run.
double to_four_digits(double us) {
  if (us <= 0) return us;
  const double unit = std::pow(10.0, std::floor(std::log10(us)) - 3);
  return std::round(us / unit) * unit;
}

}  // namespace

measure::prediction as_measured(const simt::prediction& p) {
  measure::prediction m{.device = p.device,
                        .median_us = to_four_digits(p.us),
                        .queued_us = to_four_digits(p.queued_us),
                        .error_pct = p.error_pct,
                        .limiter = std::string(simt::name_of(p.by)),
                        .registers_known = p.registers_known,
                        .no_ground = p.no_ground};
  for (std::size_t i = 0; i < p.parts_us.size(); ++i) {
    m.parts_us.emplace_back(simt::limiter_names[i], p.parts_us[i]);
  }
  return m;
}

}  // namespace warpfold::ladder
