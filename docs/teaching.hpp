// The page for teachers: slides with the commands that answer them, and exercises.
#pragma once

#include <string>
#include <string_view>

/// The slides of one document: command, question, answer. Throws where a command does not print
/// what the answer quotes.
std::string slide_table(int document);

/// All findings in the specimen, or the first one alone.
std::string found_in(std::string_view specimen);
std::string first_finding_in(std::string_view specimen);

/// Throws unless the page has an exercise on every specimen: what is found, and what mends it.
void check_exercises(const std::string& page);
