#include "simt/src/program.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "simt/prediction.hpp"
#include "simt/report.hpp"
#include "simt/sarif.hpp"
#include "simt/src/errors.hpp"
#include "simt/src/launch.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/record/memory_findings.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/settings.hpp"

namespace simt::detail {

namespace {

struct program {
  observe* scope = nullptr;  // never goes: the program may launch until its very end
  std::mutex mutex;
  unsigned failed = 0;
  std::string first_failure;
};

program& the_program() {
  static auto* const p = new program;
  return *p;
}

/// Of the report's findings, the notes and the memory that is not freed.
sarif_run sarif_run_of_program(const report& r, const std::vector<finding>& notes,
                               const std::vector<finding>& unfreed) {
  std::vector<finding> all = r.findings();
  all.insert(all.end(), unfreed.begin(), unfreed.end());
  all.insert(all.end(), notes.begin(), notes.end());
  sarif_run s = sarif_run_of(all);
  s.errors = r.errors();
  std::error_code none;
  s.program = std::filesystem::read_symlink("/proc/self/exe", none).string();
  return s;
}

/// False when the file can't be written.
bool write_report(const report& r, const sarif_run& s, const std::string& to) {
  if (to == "-") {
    std::fputs(r.text().c_str(), stderr);
    return true;
  }
  std::ofstream file(to);
  file << (to.ends_with(".json")    ? r.json()
           : to.ends_with(".html")  ? r.html()
           : to.ends_with(".sarif") ? sarif(s)
                                    : r.text());
  file.close();
  if (!file) std::fprintf(stderr, "simt: %s: can't be written\n", to.c_str());
  return static_cast<bool>(file);
}

/// Of the report and of the findings: a launch that a finding ended has no report.
std::size_t kernels_in(const report& r) {
  std::set<std::string> names;
  for (const kernel_report& k : r.kernels()) names.insert(k.name);
  for (const finding& f : r.findings()) {
    if (!f.kernel.empty()) names.insert(f.kernel);
  }
  return names.size();
}

std::string counted(std::uint64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}
/// "; 2 failed launches", or nothing.
std::string and_counted(std::uint64_t n, const char* one, const char* several) {
  return n == 0 ? "" : "; " + std::to_string(n) + " " + (n == 1 ? one : several);
}

/// Says what there is to say; returns the code to end with.
int finish(int code) {
  const settings& asked = the_settings();
  program& p = the_program();
  bool wrong = false;
  std::uint64_t not_freed = 0;
  std::vector<finding> unfreed;
  if (p.failed != 0) {
    std::fprintf(stderr, "simt: %u launch%s failed; the first: %s\n", p.failed,
                 p.failed == 1 ? "" : "es", p.first_failure.c_str());
    wrong = true;
  }
  if (asked.leaks && sticky_error() == cudaSuccess) {
    unfreed = findings_of_unfreed(0);
    wrong = wrong || !unfreed.empty();
    for (const finding& f : unfreed) {
      not_freed += f.count;
      std::fputs(f.text().c_str(), stderr);
    }
  }
  if (p.scope != nullptr) {
    for (const finding& f : findings_of_touches()) add_finding(p.scope->findings, f);
    const report r(*p.scope);
    const auto& findings = r.findings();
    wrong = wrong || !findings.empty();
    if (asked.report.file != "-") {
      for (const finding& f : findings) std::fputs(f.text().c_str(), stderr);
    }
    for (const finding& n : p.scope->notes) std::fputs(n.text().c_str(), stderr);
    if (asked.check) {
      const std::size_t kernels = kernels_in(r);
      std::fprintf(stderr, "simt: %s in %s%s%s\n", counted(findings.size(), "finding").c_str(),
                   counted(kernels, "kernel").c_str(),
                   and_counted(p.failed, "failed launch", "failed launches").c_str(),
                   and_counted(not_freed, "allocation not freed", "allocations not freed").c_str());
    }
    const sarif_run s = sarif_run_of_program(r, p.scope->notes, unfreed);
    if (asked.report.annotations) std::fputs(annotations(s).c_str(), stderr);
    if (!asked.report.file.empty() && !write_report(r, s, asked.report.file) && code == 0) return 4;
  }
  if (code != 0 || !wrong) return code;
  return asked.exit_code ? *asked.exit_code : asked.check ? 1 : 0;
}

void at_end(int code, void*) {
  const int wanted = finish(code);
  if (wanted == code) return;
  std::cout.flush();
  std::fflush(nullptr);
  _exit(wanted);
}

/// A program that ends in abort(), as one whose own assertion fails, calls nothing at its end.
void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::fflush(stdout);
  finish(0);
  std::raise(signal);
}
/// A launch that runs ends first, so that its findings are known.
void at_interrupt(int signal) {
  std::signal(signal, SIG_DFL);  // at once, if it comes again
  interrupted = signal;
  if (!is_launching()) end_if_interrupted();
}
void at_crash() {
  std::fflush(stdout);
  finish(0);
}
/// Unless the program does something about it itself.
void catch_signal(int signal, void (*act)(int)) {
  const auto before = std::signal(signal, act);
  if (before != SIG_DFL) std::signal(signal, before);
}

}  // namespace

void watch_program() {
  static std::once_flag once;
  std::call_once(once, [] {
    const settings& asked = the_settings();
    on_exit(at_end, nullptr);
    catch_signal(SIGABRT, end_by);
    const bool reports = !asked.report.file.empty();
    if (!asked.check && !reports && asked.schedules == 1) return;
    const bool counts = reports && !asked.report.file.ends_with(".sarif");
    run_options options{.count = counts, .check = true, .lines = counts};
    options.notes = asked.notes;
    the_program().scope = new observe(options);
    leave_to_all_threads(*the_program().scope);
    catch_signal(SIGINT, at_interrupt);
    catch_signal(SIGTERM, at_interrupt);
    before_crash = at_crash;
    catch_faults();
    if (!asked.check) return;
    static const auto* const guard = new host_guard;  // to the very end, too
    static_cast<void>(guard);
  });
}

void end_if_interrupted() {
  const int signal = interrupted;
  if (signal == 0) return;
  end_by(signal);
}

void note_failed_launch(const std::string& why) {
  program& p = the_program();
  const std::scoped_lock lock(p.mutex);
  if (p.failed++ == 0) p.first_failure = why;
}

bool is_of_program(const void* scope) { return scope == the_program().scope; }

}  // namespace simt::detail
