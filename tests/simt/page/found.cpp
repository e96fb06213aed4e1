// found <file>: a page on kernels with a race and with bank conflicts, for the tests in a browser.
#include <simt/report.hpp>

#include "tests/simt/user_kernels/reported.hpp"

int main(int, char** argv) {
  simt::inspect([] {
    reported::race();
    reported::bank_conflicts();
  }).save_html(argv[1]);
}
