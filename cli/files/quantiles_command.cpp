// warpfold quantiles FILE -q 0.5,0.9: exact order statistics of a file of numbers.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/files/quantiles.hpp"
#include "cli/parse.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
namespace {

constexpr struct {
  interpolation how;
  const char *name, *what;
} methods[] = {
    {interpolation::linear, "linear", "between the two values, in proportion"},
    {interpolation::lower, "lower", "the lower value"},
    {interpolation::higher, "higher", "the higher value"},
    {interpolation::nearest, "nearest", "the nearer value; of two as near, the one of even index"},
    {interpolation::midpoint, "midpoint", "the mean of both"}};

interpolation parse_method(std::string_view option, std::string_view text) {
  std::string known;
  for (const auto& m : methods) {
    if (m.name == text) return m.how;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", m.name);
  }
  throw usage_error(fmt::format("{} {}: there are {}", option, text, known));
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<quantile_options>();
  to.value("-q", o->shares, parse_list, "The quantiles, each between 0 and 1, like 0.5,0.9,0.99",
           {.required = true});
  std::string about = "What a quantile between two values is, as in NumPy:";
  for (const auto& m : methods) about += fmt::format("\n  {:<9} {}", m.name, m.what);
  to.value("--method", o->method, parse_method, about, {.shown = "linear"});
  add_quantiles(to, o);
}

}  // namespace warpfold::cli
