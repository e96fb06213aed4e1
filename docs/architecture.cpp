#include "docs/architecture.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "cli/svg.hpp"
#include "warpfold/error.hpp"

namespace {

namespace fs = std::filesystem;
using warpfold::cli::svg_drawing;
using warpfold::cli::svg_point;

constexpr const char* rooms_file = "tests/house/rooms.txt";

struct room {
  std::string path;  // "simt/src/run"
  std::size_t files = 0;
  std::set<std::size_t> includes{};
};

/// What stands in rooms.txt but single files, and what may include everything: tests, docs,
/// examples. The library is one room here.
std::vector<room> read_rooms(const fs::path& list) {
  std::ifstream in(list);
  if (!in) throw warpfold::data_error(list.string() + ": can't be read");
  std::vector<room> rooms;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const bool is_file = word.find('.') != std::string::npos;
      const bool is_of_library = word.starts_with("include/warpfold/");
      if (is_file || is_of_library || word == "tests" || word == "docs" || word == "examples")
        continue;
      rooms.push_back({word});
    }
  }
  return rooms;
}

struct description {
  std::string path, text;
};

/// Those at the end of rooms.txt, `#: path | text`. Throws where a path is not in the tree.
std::vector<description> read_descriptions(const fs::path& root) {
  const fs::path list = root / rooms_file;
  std::ifstream in(list);
  std::vector<description> all;
  for (std::string line; std::getline(in, line);) {
    const std::size_t bar = line.find(" | ");
    if (!line.starts_with("#: ") || bar == std::string::npos) continue;
    all.push_back({line.substr(3, bar - 3), line.substr(bar + 3)});
    if (!fs::exists(root / all.back().path)) {
      throw warpfold::data_error(
          fmt::format("{} describes {}, which is not there", list.string(), all.back().path));
    }
  }
  return all;
}

bool is_source(const fs::path& path) {
  static constexpr std::array<std::string_view, 5> kinds{".hpp", ".cpp", ".cuh", ".cu", ".h"};
  return std::ranges::find(kinds, path.extension().string()) != kinds.end();
}

/// The room of a file, which is the one with the longest path above it; rooms.size() for none.
std::size_t room_of(const std::vector<room>& rooms, const std::string& file) {
  std::size_t best = rooms.size();
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const std::string& path = rooms[i].path;
    const bool inside = file == path || file.starts_with(path + "/");
    if (inside && (best == rooms.size() || path.size() > rooms[best].path.size())) best = i;
  }
  return best;
}

/// Counts the file into its room, and notes which rooms it includes files of.
void read_file(std::vector<room>& rooms, const fs::path& root, const std::string& file) {
  const std::size_t mine = room_of(rooms, file);
  if (mine == rooms.size()) return;
  static const std::regex include("^ *# *include *[\"<]([^\">]+)[\">].*");
  std::ifstream in(root / file);
  ++rooms[mine].files;
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (line.find("include") == std::string::npos || !std::regex_match(line, found, include)) {
      continue;
    }
    for (const fs::path& from : {fs::path(file).parent_path(), fs::path("simt/include"),
                                 fs::path("include"), fs::path()}) {
      const fs::path target = from / found[1].str();
      if (!fs::is_regular_file(root / target)) continue;
      const std::size_t other = room_of(rooms, target.generic_string());
      if (other != rooms.size() && other != mine) rooms[mine].includes.insert(other);
      break;
    }
  }
}

/// All rooms below this one that its files reach, by way of others too.
void reach(const std::vector<room>& rooms, std::size_t from, std::set<std::size_t>& reached) {
  for (const std::size_t to : rooms[from].includes) {
    if (reached.insert(to).second) reach(rooms, to, reached);
  }
}

/// Without the arrows that others make clear.
std::vector<std::set<std::size_t>> direct_arrows(const std::vector<room>& rooms) {
  std::vector<std::set<std::size_t>> arrows;
  for (const room& r : rooms) {
    std::set<std::size_t> by_others;
    for (const std::size_t to : r.includes) reach(rooms, to, by_others);
    std::set<std::size_t> direct;
    std::ranges::set_difference(r.includes, by_others, std::inserter(direct, direct.end()));
    arrows.push_back(std::move(direct));
  }
  return arrows;
}

constexpr double box_width = 164, box_height = 40, bend_width = 12, gap = 16, floor_height = 76,
                 margin = 20;

/// What stands side by side on a floor: a room, or a bend of an arrow that passes the floor.
struct spot {
  const room* box;  // null: a bend
  std::vector<std::size_t> below{};
  double x = 0;  // its middle

  [[nodiscard]] double width() const { return box != nullptr ? box_width : bend_width; }
};

struct layout {
  std::vector<spot> spots;
  std::vector<std::vector<std::size_t>> floors;  // from the ground up, spots from left to right
  double width = 0;
};

/// One floor above the highest room that it includes files of.
std::size_t floor_of(const std::vector<std::set<std::size_t>>& arrows, std::size_t at) {
  std::size_t floor = 0;
  for (const std::size_t to : arrows[at]) floor = std::max(floor, floor_of(arrows, to) + 1);
  return floor;
}

layout floors_of(const std::vector<room>& rooms) {
  const auto arrows = direct_arrows(rooms);
  layout made;
  std::vector<std::size_t> floor(rooms.size());
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    made.spots.push_back({&rooms[i]});
    floor[i] = floor_of(arrows, i);
    made.floors.resize(std::max(made.floors.size(), floor[i] + 1));
    made.floors[floor[i]].push_back(i);
  }
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    for (const std::size_t to : arrows[i]) {
      std::size_t end = to;
      for (std::size_t at = floor[to] + 1; at < floor[i]; ++at) {
        made.floors[at].push_back(made.spots.size());
        made.spots.push_back({nullptr, {end}});
        end = made.spots.size() - 1;
      }
      made.spots[i].below.push_back(end);
    }
  }
  return made;
}

/// Sets the spots of a floor side by side, around the middle of the widest.
void pack(layout& l, const std::vector<std::size_t>& floor) {
  double width = -gap;
  for (const std::size_t i : floor) width += l.spots[i].width() + gap;
  l.width = std::max(l.width, width);
  double x = -width / 2;
  for (const std::size_t i : floor) {
    l.spots[i].x = x + l.spots[i].width() / 2;
    x += l.spots[i].width() + gap;
  }
}

/// Orders each floor by the middle of what its spots are joined with, below and then above, a few
/// times: few arrows cross.
void arrange(layout& l) {
  for (const auto& floor : l.floors) pack(l, floor);
  for (int round = 0; round < 8; ++round) {
    std::vector<double> sum(l.spots.size()), count(l.spots.size());
    for (std::size_t i = 0; i < l.spots.size(); ++i) {
      for (const std::size_t to : l.spots[i].below) {
        sum[i] += l.spots[to].x, sum[to] += l.spots[i].x;
        ++count[i], ++count[to];
      }
    }
    const auto middle = [&](std::size_t i) {
      return count[i] > 0 ? sum[i] / count[i] : l.spots[i].x;
    };
    for (auto& floor : l.floors) {
      std::ranges::stable_sort(floor, {}, middle);
      pack(l, floor);
    }
  }
}

}  // namespace

std::string draw_architecture(const fs::path& root) {
  std::vector<room> rooms = read_rooms(root / rooms_file);
  for (const char* const part :
       {"simt", "include", "ladder", "measure", "data", "files", "bench", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
      if (entry.is_regular_file() && is_source(entry.path())) {
        read_file(rooms, root, entry.path().lexically_relative(root).generic_string());
      }
    }
  }
  layout house = floors_of(rooms);
  arrange(house);
  const double width = house.width + 2 * margin;
  const auto point_of = [&](std::size_t i, double down) {
    for (std::size_t floor = 0; floor < house.floors.size(); ++floor) {
      if (std::ranges::find(house.floors[floor], i) == house.floors[floor].end()) continue;
      const auto above = static_cast<double>(house.floors.size() - 1 - floor);
      return svg_point{width / 2 + house.spots[i].x, margin + floor_height * above + down};
    }
    throw warpfold::error("a spot is on no floor");
  };

  svg_drawing drawing;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    for (std::size_t to : house.spots[i].below) {
      std::vector<svg_point> way{point_of(i, box_height)};
      for (; house.spots[to].box == nullptr; to = house.spots[to].below.front()) {
        way.push_back(point_of(to, 0));
        way.push_back(point_of(to, box_height));
      }
      drawing.line(way, "w0-line", 1.2);
      drawing.arrow(way.back(), point_of(to, 0), "w0-line", 1.2);
    }
  }
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const room& r = rooms[i];
    const auto [x, y] = point_of(i, 0);
    drawing.rectangle({x - box_width / 2, y}, box_width, box_height, "cell", "edge");
    drawing.text({x, y + 17}, r.path, {"ink", 12, "middle", true});
    drawing.text({x, y + 32}, fmt::format("{} file{}", r.files, r.files == 1 ? "" : "s"),
                 {"dim", 10.5, "middle"});
  }
  return drawing.document(
      width, 2 * margin + floor_height * static_cast<double>(house.floors.size() - 1) + box_height,
      {"The rooms of warpfold", "An arrow leads from a room to one below whose files it includes"});
}

std::string room_table(const fs::path& root, bool of_simt) {
  const std::vector<description> all = read_descriptions(root);
  for (const room& r : read_rooms(root / rooms_file)) {
    if (std::ranges::find(all, r.path, &description::path) == all.end()) {
      throw warpfold::data_error(fmt::format("{} does not describe {}: add a line '#: {} | …'",
                                             rooms_file, r.path, r.path));
    }
  }
  std::string text = "| room | content |\n|---|---|\n";
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    if (at->path.starts_with("simt/") != of_simt) continue;
    text += fmt::format("| `{}` | {} |\n", at->path, at->text);
  }
  return text;
}
