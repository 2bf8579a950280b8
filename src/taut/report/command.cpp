#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <taut/report/command.hpp>

namespace taut {

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("._-/=+:,").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string run_command(const std::string& model_path, const std::string& options) {
  using nlohmann::ordered_json;
  std::string out = "taut run " + shell_word(std::filesystem::path(model_path).filename().string());
  const ordered_json given = ordered_json::parse(options, nullptr, false);
  if (!given.is_object()) return out;
  if (given.contains("set"))
    for (const ordered_json& one : given["set"])
      if (one.is_array() && one.size() == 2 && one[0].is_string() && one[1].is_string())
        out += " --set " + shell_word(one[0].get<std::string>() + "=" + one[1].get<std::string>());
  if (given.contains("run") && given["run"].is_object())
    for (const auto& [key, value] : given["run"].items())
      if (value.is_string()) out += " --" + key + " " + shell_word(value.get<std::string>());
  return out;
}

}  // namespace taut
