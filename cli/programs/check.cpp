// warpfold check: the same with all checks on; it fails where anything is found.
#include <cstdio>
#include <memory>
#include <string>

#include "cli/parse.hpp"
#include "cli/programs/program.hpp"

namespace warpfold::cli {
namespace {

struct check_options : programs::program_options {
  unsigned schedules = 1;
  bool notes = false, leaks = false, annotations = false;
};

int check(const check_options& o) {
  programs::variables asked{{"SIMT_CHECK", "1"}};
  if (o.notes) asked.emplace_back("SIMT_NOTES", "1");
  if (o.leaks) asked.emplace_back("SIMT_LEAKS", "1");
  if (o.annotations) asked.emplace_back("SIMT_ANNOTATIONS", "1");
  if (o.schedules > 1) asked.emplace_back("SIMT_SCHEDULES", std::to_string(o.schedules));
  const programs::ending how = programs::run_program(o, asked);
  if (how.signal != 0) return programs::same_ending(how);
  if (how.code > 1) {
    std::fprintf(stderr, "warpfold: the program ended with exit code %d\n", how.code);
  }
  return how.code == 0 ? 0 : 1;
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<check_options>();
  to.value("--schedules", o->schedules, parse_small,
           "Number of orders in which each launch runs, such as 8");
  to.flag("--notes", o->notes, "Also print notes: remarks on code that is right on this device");
  to.flag("--leaks", o->leaks, "Report device memory that is not freed at the end");
  to.flag("--annotations", o->annotations,
          "Also print the findings as annotations of GitHub's runners");
  describe_program(to, *o);
  to.then([o] { return check(*o); });
}

}  // namespace warpfold::cli
