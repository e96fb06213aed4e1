// `warpfold report`: what it makes a page of, and what it refuses.
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::IsEmpty;
using testing::StartsWith;

class report_command : public command_line {
 protected:
  static std::vector<nlohmann::json> documents_in(const std::string& html) {
    std::vector<nlohmann::json> all;
    const std::string begin = "class=\"document\" data-name=\"";
    for (auto at = html.find(begin); at != std::string::npos; at = html.find(begin, at + 1)) {
      const auto from = html.find('>', at) + 1;
      all.push_back(nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from)));
    }
    return all;
  }
  std::string page() {
    std::ifstream in(folder_ / "page.html");
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(report_command, runs_a_ladder_and_its_steps) {
  const std::string to = (folder_ / "page.html").string();
  const outcome o = run("report --rung 11,12 --n 1000 --values 5,1,7 --backend simt -o " + to);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_EQ(o.err, "wrote " + to + "\n");
  const auto documents = documents_in(page());
  ASSERT_EQ(documents.size(), 4U);
  EXPECT_EQ(documents[0]["measurements"].back()["rung"], "12 sequential");
  EXPECT_EQ(documents[0]["measurements"].back()["n"], 1000);
  EXPECT_FALSE(documents[0]["report"]["kernels"][0]["lines"].empty());
  EXPECT_EQ(documents[1]["one_block"].size(), 2U);
  EXPECT_EQ(documents[2]["rung"], "strided");
  EXPECT_EQ(documents[3]["result"], "13");
}

TEST_F(report_command, takes_stored_json) {
  const std::string stored = (folder_ / "stored.json").string();
  EXPECT_EQ(run("steps scan/blelloch --json " + stored).code, 0);
  const std::string own = write(
      "own.json", R"({"schema": 1, "summary": "", "kernels": [], "findings": [], "errors": []})");
  const outcome o = run("report --json " + stored + " --from " + own + " -o -");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, StartsWith("<!doctype html>"));
  const auto documents = documents_in(o.out);
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(documents[0]["rung"], "blelloch");
  EXPECT_EQ(documents[1]["summary"], "");
  EXPECT_EQ(documents_in(run("report --json " + stored + " " + stored + " -o -").out).size(), 2U);
}

TEST_F(report_command, refuses_in_one_line) {
  for (const char* text : {"", "}{", "[]", "{\"schema\": 2}", "\xff\xfe"}) {
    expect_refusal("report --json " + write("x.json", text), 4, "is not a report");
  }
  expect_refusal("report --from " + (folder_ / "none.json").string(), 4, "can't be read");
  expect_refusal("report --ladder redcue", 2, "did you mean reduce?");
  expect_refusal("report --backend gpu", 2, "auto, simt or cuda");
  expect_refusal("report --json " + write("y.json", "{}") + " --n 10", 4, "is not a report");
  EXPECT_EQ(run("steps scan/1 --json " + (folder_ / "z.json").string()).code, 0);
  expect_refusal("report --json " + (folder_ / "z.json").string() + " --n 10", 2, "--ladder");
  expect_refusal("report --rung 99 --n 100 --backend simt -o -", 2, "99");
  EXPECT_EQ(run("report --rung 12 --n 100 --backend simt -o /no-such-folder/page.html").code, 4);
}

}  // namespace
}  // namespace warpfold::cli
