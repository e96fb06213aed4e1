// Holds a JSON value to one of docs/schema, which have the words of JSON Schema that stand here. A
// schema with another word is an error: nothing of it goes unchecked.
#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpfold::tests {

using nlohmann::json;

class json_schema {
 public:
  /// `name`.json of docs/schema.
  explicit json_schema(const std::string& name) {
    std::ifstream file(std::string(WARPFOLD_SCHEMAS) + "/" + name + ".json");
    root_ = json::parse(file);
  }

  /// What of the value is not as the schema says, each with its path.
  [[nodiscard]] std::vector<std::string> violations(const json& value) const {
    std::vector<std::string> found;
    check(root_, value, "", found);
    return found;
  }

 private:
  using texts = std::vector<std::string>;

  void check(const json& schema, const json& value, const std::string& path, texts& found) const {
    const auto bad = [&](const std::string& what) { found.push_back(path + ": " + what); };
    for (const auto& [word, said] : schema.items()) {
      if (word == "$ref") {
        const std::string ref = said.get<std::string>();
        check(root_.at("$defs").at(ref.substr(std::string("#/$defs/").size())), value, path, found);
      } else if (word == "type") {
        if (!is_of(said, value)) bad("is " + value.dump() + ", not of type " + said.dump());
      } else if (word == "const") {
        if (value != said) bad("is " + value.dump() + ", not " + said.dump());
      } else if (word == "enum") {
        if (std::find(said.begin(), said.end(), value) == said.end()) {
          bad("is " + value.dump() + ", none of " + said.dump());
        }
      } else if (word == "anyOf") {
        if (!fits_any(said, value)) bad("is " + value.dump() + ", and fits none of anyOf");
      } else if (word == "minimum") {
        if (value.is_number() && value.get<double>() < said.get<double>()) bad("is too small");
      } else if (word == "minItems" || word == "maxItems") {
        const bool few = value.size() < said.get<std::size_t>();
        if (value.is_array() && value.size() != said.get<std::size_t>() &&
            few == (word == "minItems")) {
          bad("has " + std::to_string(value.size()) + " items");
        }
      } else if (word == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
          check(said, value[i], path + "/" + std::to_string(i), found);
        }
      } else if (word == "required") {
        for (const auto& key : said) {
          if (value.is_object() && !value.contains(key)) bad("has no " + key.dump());
        }
      } else if (word == "properties" || word == "additionalProperties") {
        if (word == "properties" || !schema.contains("properties")) {
          check_keys(schema, value, path, found);
        }
      } else if (word != "$schema" && word != "$defs" && word != "title" && word != "description") {
        throw std::logic_error("the checker does not know the word " + word);
      }
    }
  }

  void check_keys(const json& schema, const json& value, const std::string& path,
                  texts& found) const {
    if (!value.is_object()) return;
    const json known = schema.value("properties", json::object());
    const json others = schema.value("additionalProperties", json(true));
    for (const auto& [key, inner] : value.items()) {
      const std::string at = path + "/" + key;
      if (known.contains(key)) {
        check(known.at(key), inner, at, found);
      } else if (others.is_object()) {
        check(others, inner, at, found);
      } else if (!others.get<bool>()) {
        found.push_back(at + ": the schema has no such key");
      }
    }
  }

  [[nodiscard]] bool fits_any(const json& schemas, const json& value) const {
    for (const json& schema : schemas) {
      texts found;
      check(schema, value, "", found);
      if (found.empty()) return true;
    }
    return false;
  }

  static bool is_of(const json& type, const json& value) {
    if (type.is_array()) {
      return std::any_of(type.begin(), type.end(), [&](const json& t) { return is_of(t, value); });
    }
    const auto name = type.get<std::string>();
    return (name == "object" && value.is_object()) || (name == "array" && value.is_array()) ||
           (name == "string" && value.is_string()) || (name == "boolean" && value.is_boolean()) ||
           (name == "null" && value.is_null()) || (name == "number" && value.is_number()) ||
           (name == "integer" && value.is_number_integer());
  }

  json root_;
};

}  // namespace warpfold::tests
