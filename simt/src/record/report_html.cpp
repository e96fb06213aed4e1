// The report as a page.
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "simt/page/page.hpp"
#include "simt/report.hpp"

namespace simt {

std::string report::html(const source_reader& read) const {
  const std::array document{page::document{"report", json(read)}};
  return page::html_of(document, "Report on kernels");
}

void report::save_html(const std::string& file) const {
  std::ofstream out(file, std::ios::binary);
  out << html();
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category(), file);
}

}  // namespace simt
