#include "docs/figures.hpp"

#include <utility>

void draw_figures(const std::filesystem::path& folder,
                  const std::function<void(const std::string&)>& run) {
  const std::string sixteen = lecture_values, eight = lecture_scan;
  const std::pair<const char*, std::string> figures[] = {
      {"reduce_sequential.svg", "reduce/sequential --values " + sixteen},
      {"reduce_modulo.svg", "reduce/modulo --values " + sixteen},
      {"reduce_strided.svg", "reduce/strided --type f64 --values " + sixteen + "," + sixteen},
      {"reduce_shuffle.svg", "reduce/shuffle --values " + sixteen},
      {"reduce_cascade.svg", "reduce/cascade"},
      {"scan_hillis_steele.svg", "scan/hillis-steele --values " + eight},
      {"scan_blelloch.svg", "scan/blelloch --exclusive --values " + eight},
      {"sort_bitonic_shared.svg", "sort/bitonic-shared --values " + sixteen},
      {"sort_bitonic_network.svg", "sort/bitonic-shared --network --values " + sixteen}};
  std::filesystem::create_directories(folder);
  for (const auto& [file, steps] : figures) {
    run("steps " + steps + " --svg " + (folder / file).string());
  }
  run("ladder streams --backend simt --kernel 54 --svg " + (folder / "streams.svg").string());
}
