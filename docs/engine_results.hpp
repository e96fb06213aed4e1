// What the CPU machine's engines took in a stored run, beside compiled loops and other machines.
#pragma once

#include <filesystem>
#include <string>

/// A line for each kernel of bench/cases/simt_plain.cpp. Says so where no run has been stored yet.
std::string engine_table(const std::filesystem::path& file);
