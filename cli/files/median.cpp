// warpfold median FILE: the value in the middle; of an even number of values the mean of two.
#include <memory>

#include "cli/files/quantiles.hpp"

namespace warpfold::cli {

void describe(options& to) {
  const auto o = std::make_shared<quantile_options>();
  o->shares = {"0.5"};
  add_quantiles(to, o);
}

}  // namespace warpfold::cli
