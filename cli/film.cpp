#include "film.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <taut/base/require.hpp>
#include <taut/results/output_file.hpp>

#include "child.hpp"

namespace taut::cli {
namespace {

namespace fs = std::filesystem;

constexpr int film_pictures = 150, per_second = 25;

std::string decoded(std::string_view text) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t value = letters.find(c);
    if (value == std::string_view::npos) break;
    bits = bits << 6 | unsigned(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += char(bits >> count & 255u);
  }
  return out;
}

/// As part of an address: only letters, digits and a few signs stay as they are.
std::string address_of(const std::string& path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out = "file://";
  for (const char c : fs::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("/._-~").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += std::string("%") + digits[byte >> 4] + digits[byte & 15];
    }
  }
  return out;
}

/// The pictures that the page draws of itself.
std::vector<std::string> pictures_of(const std::string& page, int count, const FilmOptions& options,
                                     const TemporaryFolder& folder) {
  std::string address = address_of(page) + "#film=" + std::to_string(count);
  if (count == 1 && !options.at.empty()) address += "&at=" + options.at;
  if (count == 1 && options.at.empty()) address += "&at=1e300";
  address += options.dark ? "&theme=dark" : "&theme=light";
  if (options.strobe) address += "&strobe";
  if (options.reactions) address += "&reactions";
  address += count == 1 ? "&width=960&height=600" : "&width=960&height=640";
  const std::string dump = folder.file("dump");
  int code = 127;
  for (const char* browser : {"chromium", "chromium-browser", "google-chrome"}) {
    code = run_child({browser, "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle",
                      "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                      count == 1 ? "--force-device-scale-factor=2" : "--force-device-scale-factor=1",
                      "--user-data-dir=" + folder.file("browser"), "--virtual-time-budget=60000", "--dump-dom", address},
                     dump);
    if (code != 127) break;
  }
  require(code != 127,
          "report: pictures are drawn by a browser, and there is no chromium; install it (Debian: chromium), or open {} and "
          "print it.",
          page);
  require(code == 0, "report: chromium could not draw {}.", page);
  std::ifstream in(dump, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  const std::string text = all.str(), mark = "data:image/png;base64,";
  std::vector<std::string> out;
  const std::size_t start = text.rfind("<pre id=\"film\">");
  for (std::size_t at = start == std::string::npos ? start : text.find(mark, start); at != std::string::npos;
       at = text.find(mark, at + 1))
    out.push_back(decoded(std::string_view(text).substr(at + mark.size())));
  require(!out.empty(), "report: there is nothing to draw in {}: the model has no places in space.", page);
  return out;
}

void write_picture(const std::string& path, const std::string& bytes) {
  OutputFile file(path);
  file.stream() << bytes;
  file.finish();
}

/// The pictures of a film, as numbered files in the folder.
void draw_film(const std::string& page, const FilmOptions& options, const TemporaryFolder& folder) {
  require(run_child({"ffmpeg", "-version"}, folder.file("version")) != 127,
          "report: films are joined by ffmpeg, and there is none; install it (Debian: ffmpeg), or take --png.");
  const std::vector<std::string> all = pictures_of(page, film_pictures, options, folder);
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::string number = std::to_string(k);
    number.insert(0, 4 - std::min<std::size_t>(4, number.size()), '0');
    write_picture(folder.file("p" + number + ".png"), all[k]);
  }
}

}  // namespace

void shoot(const std::string& page, const std::vector<std::string>& files, const FilmOptions& options) {
  const TemporaryFolder folder;
  bool drawn = false;
  for (const std::string& to : files) {
    const std::string ending = fs::path(to).extension().string();
    if (ending == ".png") {
      write_picture(to, pictures_of(page, 1, options, folder)[0]);
      continue;
    }
    if (!drawn) draw_film(page, options, folder);
    drawn = true;
    std::vector<std::string> command{
        "ffmpeg", "-y", "-loglevel", "error", "-framerate", std::to_string(per_second), "-i", folder.file("p%04d.png")};
    if (ending == ".gif")
      command.insert(command.end(), {"-vf",
                                     "fps=12,scale=640:-2:flags=lanczos,split[a][b];[a]palettegen=max_colors=96[p];"
                                     "[b][p]paletteuse=dither=none"});
    if (ending == ".mp4") command.insert(command.end(), {"-pix_fmt", "yuv420p", "-movflags", "+faststart"});
    command.push_back(fs::absolute(to).string());
    require(run_child(command) == 0, "report: ffmpeg could not write '{}'.", to);
  }
}

}  // namespace taut::cli
