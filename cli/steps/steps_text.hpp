// The steps of a rung as text: for each, the stride, the threads that work, and the arrays after
// it.
#pragma once

#include <string>
#include <string_view>

#include "ladder/steps/steps.hpp"

namespace warpfold::cli {

/// "threads 0–7", "threads 0, 2, 4, … 14", "thread 0".
std::string threads_text(const ladder::step& s, bool many_blocks);

/// "stride 8", "mirror images of 4", "in → shared": what joins or moves the values of a step.
std::string pattern_text(const ladder::walkthrough& w, const ladder::step& s);

/// "step 1 · stride 8 · threads 0–7".
std::string heading_of(const ladder::walkthrough& w, const ladder::step& s);

/// Whether the thread joins the single cell that it reads to a value that it holds in a register.
bool adds_to_held(const ladder::step_move& m);
bool adds_to_held(const ladder::step& s);  // all workers do

/// The cells of an array that are worth showing: up to the last that was ever written, but not many
/// more than there are values.
std::size_t shown_cells(const ladder::walkthrough& w, const ladder::step_cells& cells);

/// "✓ 41", or what is wrong.
std::string result_text(const ladder::walkthrough& w);

std::string steps_text(const ladder::walkthrough& w, std::string_view title, bool color);

}  // namespace warpfold::cli
