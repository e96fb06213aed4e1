#include "cli/output.hpp"

#include <cstdio>
#include <span>

#include "data/file.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

void put(const std::string& file, std::string_view text) {
  if (file == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    data::replace_file(file, {std::as_bytes(std::span(text))});
  }
}

svg_theme parse_theme(std::string_view option, std::string_view text) {
  if (text == "auto") return svg_theme::automatic;
  if (text == "light") return svg_theme::light;
  if (text == "dark") return svg_theme::dark;
  throw usage_error(std::string(option) + " " + std::string(text) +
                    ": must be auto, light or dark");
}

}  // namespace warpfold::cli
