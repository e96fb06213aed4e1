#include "docs/exact_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "cli/svg.hpp"
#include "docs/plot.hpp"
#include "warpfold/error.hpp"
#include "warpfold/exact/accumulator.hpp"

namespace {

using warpfold::cli::svg_drawing;
using warpfold::cli::svg_point;
using values = std::vector<float>;

float plain(std::span<const float> in) {
  float sum = 0;
  for (const float v : in) sum += v;
  return sum;
}
float pairwise(std::span<const float> in) {
  if (in.size() == 1) return in[0];
  return pairwise(in.first(in.size() / 2)) + pairwise(in.subspan(in.size() / 2));
}
float kahan(std::span<const float> in) {
  float sum = 0, rest = 0;
  for (const float v : in) {
    const float next = v - rest, all = sum + next;
    rest = (all - sum) - next;
    sum = all;
  }
  return sum;
}
float neumaier(std::span<const float> in) {
  float sum = 0, rest = 0;
  for (const float v : in) {
    const float all = sum + v;
    rest += std::fabs(sum) >= std::fabs(v) ? (sum - all) + v : (v - all) + sum;
    sum = all;
  }
  return sum + rest;
}
float exact(std::span<const float> in) {
  warpfold::exact_accumulator<float> sum;
  sum.add(in);
  return sum.round();
}

/// A way to sum, and its line: colours alone do not tell lines apart for everybody.
struct way {
  const char* name;
  float (*sum)(std::span<const float>);
  const char* colour;  // of svg_drawing
  bool dashed;
  double width;
};
constexpr way ways[] = {{"plain", plain, "dim", false, 2},
                        {"pairwise", pairwise, "dim", true, 2},
                        {"Kahan", kahan, "w1", false, 2},
                        {"Neumaier", neumaier, "w1", true, 2},
                        {"exact", exact, "w0", false, 3}};
using errors = std::array<double, std::size(ways)>;

/// Data sets to take the worst of.
constexpr unsigned sets = 8;

float unit(std::mt19937_64& bits) { return static_cast<float>(bits() >> 40) * 0x1p-24F; }

values between_0_and_1(std::size_t n, std::mt19937_64& bits) {
  values v(n);
  for (float& x : v) x = unit(bits);
  return v;
}
values between_minus_1_and_1(std::size_t n, std::mt19937_64& bits) {
  values v(n);
  for (float& x : v) x = unit(bits) - unit(bits);
  return v;
}
/// Each large value and its negative, and one in four between 0 and 1.
values cancelling(std::size_t n, std::mt19937_64& bits, int scale) {
  values v(n);
  for (std::size_t i = 0; i + 3 < n; i += 4) {
    v[i] = std::ldexp(unit(bits), scale), v[i + 1] = -v[i];
    v[i + 2] = unit(bits), v[i + 3] = 0;
  }
  for (std::size_t i = n; i > 1; --i) std::swap(v[i - 1], v[bits() % i]);
  return v;
}

values cancelling_60(std::size_t n, std::mt19937_64& bits) { return cancelling(n, bits, 60); }

/// Distances to the real sum, in units of its last place, the worst of all sets.
template <class Make>
errors worst(std::size_t n, Make make) {
  errors result{};
  for (unsigned seed = 1; seed <= sets; ++seed) {
    std::mt19937_64 bits(seed);
    const values v = make(n, bits);
    warpfold::exact_accumulator<float> real;
    real.add(std::span<const float>(v));
    const float size = std::fabs(real.round());
    const double place =
        static_cast<double>(std::nextafter(size, std::numeric_limits<float>::infinity())) - size;
    for (std::size_t w = 0; w < std::size(ways); ++w) {
      auto distance = real;
      distance.subtract(ways[w].sum(v));
      result[w] = std::max(result[w], std::fabs(distance.round<double>()) / place);
    }
  }
  return result;
}

}  // namespace

std::string error_table() {
  std::string text = "| values | n |";
  std::string line = "|---|---:|";
  for (const way& w : ways) text += fmt::format(" {} |", w.name), line += "---:|";
  text += "\n" + line + "\n";
  using make = values (*)(std::size_t, std::mt19937_64&);
  const std::pair<const char*, make> kinds[] = {{"between 0 and 1", between_0_and_1},
                                                {"between -1 and 1", between_minus_1_and_1},
                                                {"cancelling, up to 2^60", cancelling_60}};
  for (const auto& [name, kind] : kinds) {
    for (const int e : {10, 16, 20}) {
      text += fmt::format("| {} | 2^{} |", name, e);
      for (const double error : worst(std::size_t{1} << e, kind))
        text += fmt::format(" {:.3g} |", error);
      text += "\n";
    }
  }
  return text + fmt::format(
                    "\nf32. The error in units in the last place of the real sum, the worst of {} "
                    "sets of values.\n",
                    sets);
}

namespace {

constexpr int least = 0, most = 60;                            // powers of two
constexpr double low = -1, high = 19;                          // powers of ten
constexpr double left = 60, top = 56, wide = 520, tall = 300;  // of the plot

double x_of(double e) { return left + (e - least) / (most - least) * wide; }
double y_of(double error) {
  return top + (high - std::clamp(std::log10(error), low, high)) / (high - low) * tall;
}

void draw_axes(svg_drawing& svg) {
  for (int k = static_cast<int>(low); k <= static_cast<int>(high); k += 4) {
    const double y = y_of(std::pow(10, k));
    svg.line({{left, y}, {left + wide, y}}, "grid", 1);
    svg_power(svg, {left - 8, y + 4}, "10", k, "end");
  }
  for (int e = least; e <= most; e += 10) {
    svg_power(svg, {x_of(e), top + tall + 20}, "2", e, "middle");
  }
  svg.text({left + wide / 2, top + tall + 42}, "the values that cancel are up to",
           {.color = "dim", .size = 12, .anchor = "middle"});
  svg.text({left, top - 10}, "error, units in the last place", {.color = "dim", .size = 12});
}

}  // namespace

void draw_errors(const std::filesystem::path& file) {
  std::array<std::vector<svg_point>, std::size(ways)> curves;
  errors last{};
  for (int e = least; e <= most; e += 2) {
    last = worst(std::size_t{1} << 16,
                 [e](std::size_t n, std::mt19937_64& bits) { return cancelling(n, bits, e); });
    for (std::size_t w = 0; w < std::size(ways); ++w) {
      curves[w].push_back({x_of(e), y_of(last[w])});
    }
  }
  const std::string title = "Error of the sum of 2^16 f32 values, half of which cancel";
  svg_drawing svg;
  svg.text({16, 26}, title, {.color = "ink", .size = 15, .bold = true});
  draw_axes(svg);
  std::array<std::size_t, std::size(ways)> order{};
  for (std::size_t w = 0; w < order.size(); ++w) order[w] = w;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return last[a] > last[b]; });
  double label = 0;  // names keep apart where lines end together
  std::string ends;
  for (const std::size_t w : order) {
    label = std::max(label + 17, y_of(last[w]) + 4);
    svg.line(curves[w], std::string(ways[w].colour) + "-line", ways[w].width, ways[w].dashed);
    svg.text({left + wide + 10, label}, ways[w].name,
             {.color = ways[w].colour, .size = 13, .bold = ways[w].width > 2});
    ends += fmt::format("{}{} {:.2g}", ends.empty() ? "" : ", ", ways[w].name, last[w]);
  }
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      << svg.document(left + wide + 96, top + tall + 58,
                      {title,
                       "Where the values that cancel are up to 2^60, in units in the last "
                       "place: " +
                           ends});
}

std::string exact_cost_table(const warpfold::measure::document& document) {
  using key = std::tuple<std::string, std::string, std::size_t>;  // type, range, n
  std::vector<key> order;
  std::map<key, std::map<std::string, double>> medians;
  std::map<key, double> bytes;
  for (const auto& m : document.measurements) {
    if (m.call != "graph") continue;
    if (!m.reference && !m.verdict.right) {
      throw warpfold::error("an exact result of the comparison is wrong");
    }
    const key k{m.type, (m.ladder == "exact-dot" ? "dot product, " : "") + m.op, m.n};
    if (!medians.contains(k)) order.push_back(k);
    medians[k][m.name] = m.timing->median();
    bytes[k] = static_cast<double>(m.useful_bytes);
  }
  std::string text =
      "| type | values | n | exact, µs | plain, µs | CUB plain, µs | % of plain | GB/s |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|\n";
  for (const key& k : order) {
    const auto& m = medians[k];
    const auto time = [&](const char* name) {
      return m.contains(name) ? fmt::format("{:.1f}", m.at(name)) : "–";
    };
    const double ours = m.at("warpfold");
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {:.0f} |\n", std::get<0>(k), std::get<1>(k),
        std::get<2>(k), time("warpfold"), time("warpfold plain"), time("cub plain"),
        m.contains("warpfold plain") ? fmt::format("{:.0f}", 100 * m.at("warpfold plain") / ours)
                                     : "–",
        bytes[k] / ours / 1000);
  }
  const auto& run = document.run;
  return text + fmt::format("\n{}, driver {}, {}, commit {}: `{}`.\n", run.device, run.driver,
                            run.toolkit, run.commit, run.command);
}

std::string exact_host_table(const warpfold::measure::document& document) {
  std::string text =
      "| threads | type | values | exact | plain | Neumaier | `math.fsum` | % of plain | × "
      "Neumaier "
      "| × fsum |\n"
      "|---:|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
  const auto& rows = document.measurements;
  const auto nanoseconds = [&](const warpfold::measure::measurement& like, std::string_view name) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& m) {
      return m.name == name && (name == "math.fsum" ||
                                (m.form == like.form && m.op == like.op && m.type == like.type));
    });
    if (found == rows.end()) {
      throw warpfold::data_error(fmt::format("exact_host.json: no {} of {}", name, like.op));
    }
    return found->timing->median() * 1000 / static_cast<double>(found->n);
  };
  for (const auto& m : rows) {
    if (m.name != "warpfold") continue;
    const double ours = nanoseconds(m, "warpfold"), plain = nanoseconds(m, "warpfold plain");
    const double one = nanoseconds(m, "neumaier"), fsum = nanoseconds(m, "math.fsum");
    text += fmt::format(
        "| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.1f} | {:.0f} | {:.1f} | {:.1f} |\n",
        m.form.substr(0, m.form.find(' ')), m.type, m.op, ours, plain, one, fsum,
        100 * plain / ours, one / ours, fsum / ours);
  }
  return text;
}
