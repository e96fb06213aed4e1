// The pictures of docs/steps.md and docs/streams.md, and the values of the lectures that they show.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

/// The reduction lecture's sixteen values, and the scan lecture's eight.
inline constexpr char lecture_values[] = "10,1,8,-1,0,-2,3,5,-2,-3,2,7,0,11,0,2";
inline constexpr char lecture_scan[] = "3,1,7,0,4,1,6,3";

/// Draws them all; `run` runs warpfold with these arguments.
void draw_figures(const std::filesystem::path& folder,
                  const std::function<void(const std::string&)>& run);
