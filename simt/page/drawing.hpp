// The colours and the geometry that pictures and the page share.
#pragma once

#include <string_view>

namespace simt::drawing {

/// A colour by its name, in light and in dark.
struct paint {
  std::string_view name, light, dark;
};

/// Of shapes: w0 and w1 are warps, t0 and t1 their tints, `on` is what is written on a colour.
inline constexpr paint fills[] = {
    {"bg", "#ffffff", "#0d1117"},   {"ink", "#1f2328", "#e6edf3"},  {"dim", "#656d76", "#8d96a0"},
    {"cell", "#f6f8fa", "#161b22"}, {"idle", "#e3e6ea", "#2b3138"}, {"bad", "#cf222e", "#ff7b72"},
    {"w0", "#0969da", "#58a6ff"},   {"w1", "#bc4c00", "#f0883e"},   {"t0", "#ddf4ff", "#0c2d6b"},
    {"t1", "#ffe8d1", "#5a1e02"},   {"on", "#ffffff", "#0d1117"},   {"none", "none", "none"}};
inline constexpr paint lines[] = {
    {"edge", "#afb8c1", "#484f58"},    {"bad-line", "#cf222e", "#ff7b72"},
    {"grid", "#e3e6ea", "#2b3138"},    {"dim-line", "#656d76", "#8d96a0"},
    {"w0-line", "#0969da", "#58a6ff"}, {"w1-line", "#bc4c00", "#f0883e"}};

/// A size by its name, in pixels.
struct size {
  std::string_view name;
  double pixels;
};

/// Of steps: cells and lanes; of networks: wires and comparators; of timelines: rows.
inline constexpr double cell_height = 26, lane_radius = 11, margin = 16;
inline constexpr double wire_spacing = 26, comparator_gap = 13;
inline constexpr double timeline_height = 22, timeline_gap = 3;
inline constexpr size sizes[] = {{"cell_height", cell_height},
                                 {"lane_radius", lane_radius},
                                 {"margin", margin},
                                 {"wire_spacing", wire_spacing},
                                 {"comparator_gap", comparator_gap},
                                 {"timeline_height", timeline_height},
                                 {"timeline_gap", timeline_gap}};

/// The fills of an operation in a stream other than the default one, which go round.
inline constexpr std::string_view stream_fills[] = {"w0", "w1", "t0", "t1"};

}  // namespace simt::drawing
