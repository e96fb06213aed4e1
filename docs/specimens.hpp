// The table of the specimens: what the CPU machine finds in each, and what compute-sanitizer did.
#pragma once

#include <filesystem>
#include <string>

/// `measured` is what tests/golden/sanitize.py wrote.
std::string specimen_table(const std::filesystem::path& measured);
