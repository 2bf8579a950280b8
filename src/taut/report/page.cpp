#include <taut/report/report.hpp>
#include <taut/report/viewer_bundle.hpp>

namespace taut {
namespace {

std::string html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      out += c;
    }
  }
  return out;
}

/// In JSON `<` stands in texts only; written so, no text can end the element it stands in.
void append_json(std::string& out, const std::string& json) {
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
}

}  // namespace

std::string page_around(const std::string& title, const std::string& data) {
  std::string out;
  out.reserve(data.size() + viewer_script().size() + viewer_style().size() + 4096);
  // Nothing is loaded from anywhere: the browser is told to refuse it too. A page that is served while a run goes on asks its own server.
  out +=
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'\">\n"
      "<meta name=\"generator\" content=\"taut\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
  out += html(title.empty() ? "taut" : title);
  out += "</title>\n<style>";
  out += viewer_style();
  out +=
      "</style>\n</head>\n<body>\n<div id=\"app\"></div>\n<noscript><p>This page shows a simulated motion and needs "
      "JavaScript; it loads nothing from any network.</p></noscript>\n<script type=\"application/json\" id=\"data\">";
  append_json(out, data);
  out += "</script>\n<script>";
  out += viewer_script();
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace taut
