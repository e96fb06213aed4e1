#include "simt/page/page.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "simt/page/assets.hpp"
#include "simt/page/drawing.hpp"

namespace simt::page {

namespace {

using json = nlohmann::ordered_json;

/// All sources of this kind, one behind the other.
std::string sources(std::string_view extension) {
  std::string text;
  for (const asset& a : assets()) {
    if (a.name.ends_with(extension)) text += a.text;
  }
  return text;
}

/// As custom properties: --w0, --edge.
std::string properties_of(bool dark) {
  std::string text;
  const auto add = [&](const drawing::paint& p) {
    text += "--" + std::string(p.name) + ":" + std::string(dark ? p.dark : p.light) + ";";
  };
  for (const auto& p : drawing::fills) add(p);
  for (const auto& p : drawing::lines) add(p);
  return text + "color-scheme:" + (dark ? "dark" : "light") + ";";
}

/// Dark where the viewer prefers that, and on paper always light; or as the page's button says.
std::string paints() {
  const std::string dark = properties_of(true);
  return ":root{" + properties_of(false) +
         "}\n@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){" + dark +
         "}}\n@media screen{:root[data-theme=dark]{" + dark + "}}\n";
}

json sizes() {
  json all = json::object();
  for (const auto& s : drawing::sizes) all[std::string(s.name)] = s.pixels;
  for (const auto fill : drawing::stream_fills) all["stream_fills"].push_back(fill);
  return all;
}

/// JSON for the inside of a script: a text in it ends no element and begins no comment.
std::string in_script(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string in_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string scripts_of(std::span<const document> documents) {
  std::string text;
  for (const document& d : documents) {
    text += "<script type=\"application/json\" class=\"document\" data-name=\"" +
            in_html(valid_utf8(d.name)) + "\">" + in_script(valid_utf8(d.json)) + "</script>\n";
  }
  return text;
}

/// What runs, as it was called, without this machine's folders: a page is handed on.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string all;
  for (std::string word; std::getline(file, word, '\0');) {
    const bool is_path = all.empty() || word.starts_with('/');
    if (is_path) word.erase(0, word.rfind('/') + 1);
    // Each command is a program, and called without the hyphen.
    if (constexpr std::string_view ours = "warpfold-"; all.empty() && word.starts_with(ours)) {
      word[ours.size() - 1] = ' ';
    }
    all += (all.empty() ? "" : " ") + word;
  }
  return all;
}

/// "warpfold 1.0.0 on 2026-05-01 10:15 UTC: transpose_test". SOURCE_DATE_EPOCH has another time,
/// for pages that are the same whenever they are made.
std::string made() {
  const char* const given = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t time = given != nullptr ? std::strtoll(given, nullptr, 10) : std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char date[32];
  date[std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts)] = '\0';
  return std::string("warpfold ") + WARPFOLD_VERSION + " on " + date + ": " + command_line();
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  const json quoted = std::string(text);
  const std::string valid = quoted.dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(valid).get<std::string>();
}

std::string html_of(std::span<const document> documents, std::string_view title) {
  const std::pair<std::string_view, std::string> parts[] = {
      {"{{made}}", in_html(valid_utf8(made()))}, {"{{title}}", in_html(valid_utf8(title))},
      {"{{style}}", paints() + sources(".css")}, {"{{sizes}}", sizes().dump()},
      {"{{documents}}", scripts_of(documents)},  {"{{script}}", sources(".js")}};
  const std::string frame = sources(".html");
  std::string_view rest = frame;
  std::string page;
  for (const auto& [mark, text] : parts) {  // in their order there
    const auto at = rest.find(mark);
    page += std::string(rest.substr(0, at)) + text;
    rest.remove_prefix(at + mark.size());
  }
  return page + std::string(rest);
}

}  // namespace simt::page
