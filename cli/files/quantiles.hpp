// What the commands on quantiles share.
#pragma once

#include <string>
#include <vector>

#include "cli/files/frame.hpp"
#include "warpfold/interpolation.hpp"

namespace warpfold::cli {

struct quantile_options : file_options {
  std::vector<std::string> shares;  // as they were given
  interpolation method = interpolation::linear;
};

/// The command, with the files and options that all commands have.
void add_quantiles(options& to, const std::shared_ptr<quantile_options>& o);

}  // namespace warpfold::cli
