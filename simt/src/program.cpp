#include "simt/src/program.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>

#include <unistd.h>

#include "simt/report.hpp"
#include "simt/src/launch.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/record/memory_findings.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/runtime/state.hpp"
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

/// False when the file can't be written.
bool write_report(const report& r, const std::string& to) {
  if (to == "-") {
    std::fputs(r.text().c_str(), stderr);
    return true;
  }
  std::ofstream file(to);
  file << (to.ends_with(".json") ? r.json() : to.ends_with(".html") ? r.html() : r.text());
  file.close();
  if (!file) std::fprintf(stderr, "simt: %s: can't be written\n", to.c_str());
  return static_cast<bool>(file);
}

/// Says what there is to say; returns the code to end with.
int finish(int code) {
  const settings& asked = the_settings();
  program& p = the_program();
  bool wrong = false;
  if (p.failed != 0) {
    std::fprintf(stderr, "simt: %u launch%s failed; the first: %s\n", p.failed,
                 p.failed == 1 ? "" : "es", p.first_failure.c_str());
    wrong = true;
  }
  if (asked.leaks && sticky_error() == cudaSuccess) {
    const auto unfreed = findings_of_unfreed(0);
    wrong = wrong || !unfreed.empty();
    for (const finding& f : unfreed) std::fputs(f.text().c_str(), stderr);
  }
  if (p.scope != nullptr) {
    for (const finding& f : findings_of_touches()) add_finding(p.scope->findings, f);
    const report r(*p.scope);
    const auto& findings = r.findings();
    wrong = wrong || !findings.empty();
    if (asked.report != "-") {
      for (const finding& f : findings) std::fputs(f.text().c_str(), stderr);
    }
    for (const finding& n : p.scope->notes) std::fputs(n.text().c_str(), stderr);
    if (asked.check) {
      std::fprintf(stderr, "simt: %zu finding%s in %zu kernel%s\n", findings.size(),
                   findings.size() == 1 ? "" : "s", r.kernels().size(),
                   r.kernels().size() == 1 ? "" : "s");
    }
    if (!asked.report.empty() && !write_report(r, asked.report) && code == 0) return 4;
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
void at_abort(int signal) {
  std::signal(signal, SIG_DFL);
  std::fflush(stdout);
  finish(0);
  std::raise(signal);
}
void catch_abort() {
  const auto before = std::signal(SIGABRT, at_abort);
  if (before != SIG_DFL) std::signal(SIGABRT, before);
}

}  // namespace

void watch_program() {
  static std::once_flag once;
  std::call_once(once, [] {
    const settings& asked = the_settings();
    on_exit(at_end, nullptr);
    catch_abort();
    const bool reports = !asked.report.empty();
    if (!asked.check && !reports && asked.schedules == 1) return;
    run_options options{.count = reports, .check = true, .lines = reports};
    options.notes = asked.notes;
    the_program().scope = new observe(options);
    leave_to_all_threads(*the_program().scope);
    if (!asked.check) return;
    catch_faults();
    static const auto* const guard = new host_guard;  // to the very end, too
    static_cast<void>(guard);
  });
}

void note_failed_launch(const std::string& why) {
  program& p = the_program();
  const std::scoped_lock lock(p.mutex);
  if (p.failed++ == 0) p.first_failure = why;
}

bool is_of_program(const void* scope) { return scope == the_program().scope; }

}  // namespace simt::detail
