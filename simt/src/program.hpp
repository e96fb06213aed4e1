// A program as a whole, as the environment wants it watched: SIMT_CHECK, SIMT_REPORT and the like.
#pragma once

#include <string>

namespace simt::detail {

/// Before the first launch and the first error: what is asked for is watched until the program
/// ends.
void watch_program();
/// A launch has failed; a program that never asks is told at its end.
void note_failed_launch(const std::string& why);
/// Ends the program as the signal that came meanwhile asks; what was found is said before.
void end_if_interrupted();
/// Whether findings and errors of the scope are told at the program's end; then errors are also
/// said as they happen.
bool is_of_program(const void* scope);

}  // namespace simt::detail
