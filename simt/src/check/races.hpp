// What is wrong with an access becomes a finding.
#pragma once

#include <cstdint>

#include "simt/src/check/checker.hpp"

namespace simt::detail {

struct access {
  std::uintptr_t address, pc;
  unsigned bytes;
  access_kind kind;
  space where;
  std::uint32_t thread;
  bool strong;       // of a volatile object
  bool polls;        // and the thread has waited for the word: its load decided about a loop
  access_mark mark;  // less its bytes of the word
};

struct hit {
  bool found = false;
  bool voted = false;    // it is ordered, by a vote or a shuffle alone
  bool carried = false;  // an atomic on what the same atomic of another launch has left
  access_mark other;
  access_type what{};
};

void report(finding_kind kind, const access& a, const hit& h, const target& at,
            void (checker::*add)(const raw_finding&) = &checker::add, bool ends = false);

/// A note: CUDA says of votes and shuffles that they are no barriers of memory.
void report_vote(const access& a, const hit& h, const target& at);

/// Two stores are no finding yet: `settle` compares what they store.
void report_race(block_check& b, const access& a, const hit& h, const target& at);

}  // namespace simt::detail
