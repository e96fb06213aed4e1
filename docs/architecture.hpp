// The house in one picture: its rooms, floor by floor, and which of them include files of which.
#pragma once

#include <filesystem>
#include <string>

/// An SVG of the rooms that tests/house/rooms.txt lists. An arrow says that a room's files include
/// files of a room below, and is left out where other arrows lead there.
std::string draw_architecture(const std::filesystem::path& root);
