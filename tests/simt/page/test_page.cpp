// The page's frame: what goes into it comes out as data, and as nothing else.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/page/assets.hpp"
#include "simt/page/page.hpp"

namespace simt::page {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(page, documents_are_data) {
  const std::array documents{document{"a \"<b>\"", R"({"text": "</script><script>x()</script>"})"},
                             document{"b", "{}"}};
  const std::string html = html_of(documents, "one & <two>");
  EXPECT_THAT(html,
              AllOf(HasSubstr("<title>one &amp; &lt;two></title>"),
                    HasSubstr("data-name=\"a &quot;&lt;b>&quot;\">"),
                    HasSubstr(R"({"text": "\u003c/script>\u003cscript>x()\u003c/script>"})")));
  EXPECT_EQ(count(html, "<script"), 4U);  // sizes, two documents, the page's own
  EXPECT_EQ(count(html, "</script>"), 4U);
}

TEST(page, marks_in_documents_are_left_alone) {
  const std::array documents{document{"{{script}}", R"({"a": "{{style}} {{script}}"})"}};
  EXPECT_THAT(html_of(documents, "{{documents}}"),
              AllOf(HasSubstr("<title>{{documents}}</title>"),
                    HasSubstr("data-name=\"{{script}}\">{\"a\": \"{{style}} {{script}}\"}")));
}

TEST(page, bytes_that_are_no_utf8_are_replaced) {
  EXPECT_EQ(valid_utf8("µ and plain"), "µ and plain");
  EXPECT_EQ(valid_utf8("a\xff!"), "a\xef\xbf\xbd!");
  EXPECT_EQ(valid_utf8("\xc3"), "\xef\xbf\xbd");
  EXPECT_THAT(html_of(std::array{document{"\xc0", "\"\xfe\""}}, "\x80"), Not(HasSubstr("\xfe")));
}

TEST(page, says_what_made_it) {
  ::setenv("SOURCE_DATE_EPOCH", "86400", 1);
  const std::string html = html_of(std::span<const document>(), "empty");
  ::unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_THAT(html, testing::ContainsRegex("name=\"made\" content=\"warpfold [0-9.]+ on 1970-01-02 "
                                           "00:00 UTC: simt\\.page"));
}

TEST(page, asks_no_network_for_anything) {
  const std::string html = html_of(std::span<const document>(), "empty");
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_EQ(count(html, "://"), count(html, "http://www.w3.org/2000/svg"));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("@import")), Not(HasSubstr("url("))));
  EXPECT_LT(html.size(), 200'000U);
}

/// Colours stand in simt/page/drawing.hpp: a source of the page that has its own would differ in
/// one theme. Series of plots have more of them than pictures.
TEST(page, colours_come_from_one_place) {
  for (const asset& a : assets()) {
    if (a.name == "plots.css") continue;
    const std::string text(a.text);
    for (auto at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
      const std::string six = text.substr(at + 1, 6);
      const bool is_color = six.size() == 6 && std::all_of(six.begin(), six.end(), [](char c) {
                              return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                            });
      EXPECT_FALSE(is_color) << a.name << ": #" << six;
    }
  }
}

}  // namespace
}  // namespace simt::page
