#include "tests/simt/count/access_table.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/simt/machine.hpp"

namespace warpfold::tests {

namespace {

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

access_pattern parse(const std::vector<std::string>& columns, const std::vector<std::string>& row) {
  access_pattern p;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string& name = columns.at(i);
    const std::string& text = row[i];
    if (name == "id") {
      p.id = text;
    } else if (name == "space") {
      p.space = text;
    } else if (name == "op") {
      p.op = text;
    } else if (name == "size") {
      p.size = static_cast<unsigned>(std::stoul(text));
    } else if (name == "warps") {
      p.warps.resize(std::stoul(text));
      for (auto& warp : p.warps) warp.fill(inactive);
    } else if (name == "elements") {
      const auto elements = split(text, ' ');
      for (std::size_t lane = 0; lane < elements.size(); ++lane) {
        if (elements[lane].empty()) continue;
        p.warps.at(lane / 32)[lane % 32] = std::stoll(elements[lane]) * p.size;
      }
    } else if (name != "mask" && name != "blocks" && !text.empty()) {
      p.measured[name] = std::stod(text);
    }
  }
  return p;
}

}  // namespace

const std::vector<column> exact_columns = {
    {"ld_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"ld_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"ld_bytes_pct", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
    {"st_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"st_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"st_bytes_pct", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"},
    {"ld_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"ld_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"st_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {"st_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
};

std::int64_t access_pattern::end() const {
  std::int64_t last = 0;
  for (const auto& warp : warps) last = std::max(last, *std::max_element(warp.begin(), warp.end()));
  return last + size;
}

std::vector<access_pattern> access_patterns() {
  std::ifstream file(WARPFOLD_GOLDEN "/access_patterns_h100.csv");
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("no " WARPFOLD_GOLDEN "/access_patterns");
  const auto columns = split(line, ',');
  std::vector<access_pattern> all;
  while (std::getline(file, line)) all.push_back(parse(columns, split(line, ',')));
  return all;
}

void expect_as_measured(const access_pattern& p, const simt::counters& counted) {
  for (const auto& [name, counter] : exact_columns) {
    const auto measured = p.measured.find(name);
    if (measured == p.measured.end()) continue;
    EXPECT_NEAR(value_of(counted, counter), measured->second, 0.00501)
        << "row " << p.id << ": " << p.space << " " << p.op << " of " << p.size << " bytes, "
        << counter;
  }
}

}  // namespace warpfold::tests
