cmake_minimum_required(VERSION 3.22)
# Writes ${output} with the commit this tree is at; touches it only when that changed.
execute_process(COMMAND git describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${source}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "")
endif()
file(CONFIGURE OUTPUT ${output} CONTENT "// Generated at each build.
#pragma once
namespace warpfold {
inline constexpr const char* commit = \"@commit@\";
}
" @ONLY)
