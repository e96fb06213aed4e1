// What calls across ranks take on a network of the LogGP model, simulated rank by rank.
#pragma once

#include <filesystem>
#include <string>

/// Time over ranks to 10,000, each call beside the least that any could take, as an SVG.
void draw_cluster_model(const std::filesystem::path& file);

/// The network, some of the times, and how many times the least they are.
std::string cluster_model_table();
