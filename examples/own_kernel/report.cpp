// report [--lines | --json | --html | --time]: prints the kernels' costs as text, by source line,
// as JSON or as a page for a browser, or their predicted times on an H100.
#include <cstdio>
#include <string>

#include <simt/report.hpp>

#include "kernels.hpp"

std::string times(const simt::report& report) {
  const simt::prediction p = report.prediction("h100");
  return p.text() + "\n" + p.lines_text();
}

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
                           : view == "--time" ? times(report)
                                              : report.text();
  std::fputs(text.c_str(), stdout);
  return report.findings().empty() && report.errors().empty() ? 0 : 1;
}
