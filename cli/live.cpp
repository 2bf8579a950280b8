#include "live.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <new>
#include <random>
#include <stdexcept>
#include <taut/report/report.hpp>
#include <taut/results/results.hpp>
#include <thread>

namespace taut::cli {
namespace {

constexpr std::size_t largest_request = 8192;

std::string random_word() {
  std::random_device random;
  std::string out;
  for (int k = 0; k < 4; ++k) out += fmt::format("{:08x}", random());
  return out;
}

struct Request {
  std::string path, host;
};

/// The head of a request; nothing comes of what is too long, too slow, or no request.
Request read_request(int connection) {
  std::string text;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (text.find("\r\n\r\n") == std::string::npos) {
    char part[1024];
    const ssize_t count = recv(connection, part, sizeof part, 0);
    if (count <= 0 || text.size() > largest_request || std::chrono::steady_clock::now() > until) return {};
    text.append(part, std::size_t(count));
  }
  Request out;
  if (!text.starts_with("GET ")) return out;
  out.path = text.substr(4, text.find(' ', 4) - 4);
  const std::size_t host = text.find("\r\nHost: ");
  if (host != std::string::npos) out.host = text.substr(host + 8, text.find("\r\n", host + 8) - host - 8);
  return out;
}

void answer(int connection, const char* status, const char* type, const std::string& body) {
  std::string text = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
      status, type, body.size());
  text += body;
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(connection, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += std::size_t(count);
  }
}

class Service {
 public:
  Service(int listener, std::string results, std::string word, std::string host, std::atomic<bool>& watched)
      : listener_(listener),
        results_(std::move(results)),
        word_(std::move(word)),
        host_(std::move(host)),
        watched_(watched) {}

  /// Until the run that began us is gone, or its end was told.
  void serve(pid_t parent) {
    while (!told_end_ && getppid() == parent) {
      pollfd waiting{listener_, POLLIN, 0};
      if (poll(&waiting, 1, 200) <= 0) continue;
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) continue;
      const timeval patience{2, 0};
      setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
      try {
        respond(connection);
      } catch (const std::exception&) {  // no results yet, or caught half-way
        answer(connection, "503 Service Unavailable", "text/plain", "The run has just begun; try again.\n");
      }
      shutdown(connection, SHUT_WR);
      close(connection);
    }
  }

 private:
  void respond(int connection) {
    const Request asked = read_request(connection);
    const bool known = asked.host == host_ || asked.host == "localhost" + host_.substr(host_.find(':'));
    if (!known || (asked.path != "/" + word_ + "/" && asked.path != "/" + word_ + "/data"))
      return answer(connection, "404 Not Found", "text/plain", "Nothing is here.\n");
    watched_ = true;
    const bool over = read_results_summary(results_).verdict.has_value();
    const std::string data = "{\"format\":1,\"live\":\"data\",\"runs\":[" + run_text(results_) + "]}";
    if (asked.path.ends_with("/data")) {
      answer(connection, "200 OK", "application/json", data);
      told_end_ = over;
    } else {
      answer(connection, "200 OK", "text/html", page_around(std::filesystem::path(results_).stem().string(), data));
    }
  }

  int listener_;
  std::string results_, word_, host_;
  std::atomic<bool>& watched_;
  bool told_end_ = false;
};

}  // namespace

LiveServer::LiveServer(const std::string& results) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&place), size) != 0 || listen(listener, 8) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&place), &size) != 0)
    throw std::runtime_error("--live: no port of 127.0.0.1 can be had");
  const std::string word = random_word(), host = fmt::format("127.0.0.1:{}", ntohs(place.sin_port));
  address_ = fmt::format("http://{}/{}/", host, word);
  void* shared = mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("--live: no memory can be had");
  watched_ = new (shared) std::atomic<bool>(false);
  std::fflush(nullptr);
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {
    std::signal(SIGINT, SIG_IGN);  // it is the run that is interrupted
    Service(listener, results, word, host, *watched_).serve(parent);
    _exit(0);
  }
  close(listener);
  if (child_ < 0) throw std::runtime_error("--live: no further process can be started");
}

void LiveServer::finish() {
  using namespace std::chrono_literals;
  for (int k = 0; child_ > 0 && *watched_ && k < 30; ++k) {
    if (waitpid(child_, nullptr, WNOHANG) == child_) child_ = -1;
    if (child_ > 0) std::this_thread::sleep_for(100ms);
  }
}

LiveServer::~LiveServer() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  if (watched_ != nullptr) munmap(watched_, sizeof *watched_);
}

}  // namespace taut::cli
