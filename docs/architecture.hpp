// The house in one picture, its rooms floor by floor with their includes, and in two tables.
#pragma once

#include <filesystem>
#include <string>

/// An SVG of the rooms that tests/house/rooms.txt lists. An arrow says that a room's files include
/// files of a room below, and is left out where other arrows lead there.
std::string draw_architecture(const std::filesystem::path& root);

/// Each room and its content, as rooms.txt describes it, from the top down: those of the CPU
/// machine, or all others.
std::string room_table(const std::filesystem::path& root, bool of_simt);
