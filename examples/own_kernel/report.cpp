// report [--lines | --json | --html]: what the kernels cost, for a person, beside each line, for a
// program, as a page for a browser.
#include <cstdio>
#include <string>

#include <simt/report.hpp>

#include "kernels.hpp"

int main(int argc, char** argv) {
  const std::string view = argc > 1 ? argv[1] : "";
  const simt::report report = simt::inspect([] {
    const std::vector<float> matrix(512 * 256, 1);
    transpose(matrix, 512, 256, false);
    transpose(matrix, 512, 256, true);
    histogram(std::vector<unsigned char>(20000, 'a'));
  });
  const std::string text = view == "--lines"  ? report.source_view()
                           : view == "--json" ? report.json()
                           : view == "--html" ? report.html()
                                              : report.text();
  std::fputs(text.c_str(), stdout);
  return report.findings().empty() && report.errors().empty() ? 0 : 1;
}
