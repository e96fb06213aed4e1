# WARPFOLD_VERSION, from the one place that states it.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/warpfold/version.hpp WARPFOLD_VERSION
  REGEX "std::string_view version = ")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" WARPFOLD_VERSION "${WARPFOLD_VERSION}")
if(NOT WARPFOLD_VERSION)
  message(FATAL_ERROR "include/warpfold/version.hpp no longer states `std::string_view version = "
    "\"major.minor.patch\"` on one line")
endif()
