#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <taut/base/require.hpp>
#include <taut/study/lane_gpu.hpp>
#include <taut/study/lane_kernel.hpp>
#include <vector>

namespace taut {
namespace {

/// A shared library that is there, or not.
class Shared {
 public:
  explicit Shared(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (handle_ == nullptr && !name.empty()) handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  bool there() const { return handle_ != nullptr; }
  template <class Function> void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    require(function != nullptr, "--engine cuda: the library of the GPU has no {}; take --engine cpu or general.", name);
  }

 private:
  void* handle_ = nullptr;  // stays until the end: drivers do not like to go
};

std::vector<std::string> compiler_libraries() {
  const char* given = std::getenv("TAUT_NVRTC");
  return {given != nullptr ? given : "", "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
}

using Address = unsigned long long;  // on the device

/// What is called of the driver.
struct Driver {
  int (*init)(unsigned);
  int (*device)(int*, int);
  int (*device_name)(char*, int, int);
  int (*attribute)(int*, int, int);
  int (*retain)(void**, int);
  int (*set_current)(void*);
  int (*load_module)(void**, const void*);
  int (*get_function)(void**, void*, const char*);
  int (*allocate)(Address*, std::size_t);
  int (*release)(Address);
  int (*to_device)(Address, const void*, std::size_t);
  int (*to_host)(void*, Address, std::size_t);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*synchronize)();

  explicit Driver(const Shared& library) {
    library.find(init, "cuInit");
    library.find(device, "cuDeviceGet");
    library.find(device_name, "cuDeviceGetName");
    library.find(attribute, "cuDeviceGetAttribute");
    library.find(retain, "cuDevicePrimaryCtxRetain");
    library.find(set_current, "cuCtxSetCurrent");
    library.find(load_module, "cuModuleLoadData");
    library.find(get_function, "cuModuleGetFunction");
    library.find(allocate, "cuMemAlloc_v2");
    library.find(release, "cuMemFree_v2");
    library.find(to_device, "cuMemcpyHtoD_v2");
    library.find(to_host, "cuMemcpyDtoH_v2");
    library.find(launch, "cuLaunchKernel");
    library.find(synchronize, "cuCtxSynchronize");
  }
};

/// The compiler.
struct Compiler {
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(void*, int, const char* const*);
  int (*code_size)(void*, std::size_t*);
  int (*code)(void*, char*);
  int (*log_size)(void*, std::size_t*);
  int (*log)(void*, char*);
  int (*destroy)(void**);

  explicit Compiler(const Shared& library) {
    library.find(create, "nvrtcCreateProgram");
    library.find(compile, "nvrtcCompileProgram");
    library.find(code_size, "nvrtcGetCUBINSize");
    library.find(code, "nvrtcGetCUBIN");
    library.find(log_size, "nvrtcGetProgramLogSize");
    library.find(log, "nvrtcGetProgramLog");
    library.find(destroy, "nvrtcDestroyProgram");
  }
};

/// Memory on the device, for as long as it is used.
class Room {
 public:
  Room(const Driver& driver, std::size_t bytes) : driver_(driver) {
    require(driver.allocate(&address_, bytes) == 0, "--engine cuda: the GPU has no {} bytes free.", bytes);
  }
  ~Room() { driver_.release(address_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  Address at() const { return address_; }

 private:
  const Driver& driver_;
  Address address_ = 0;
};

Shared driver_library() {
  Shared out({"libcuda.so.1", "libcuda.so"});
  require(out.there(), "--engine cuda: there is no GPU of NVIDIA here (no libcuda); take --engine cpu or general.");
  return out;
}

Shared compiler_library() {
  Shared out(compiler_libraries());
  require(
      out.there(),
      "--engine cuda: there is no compiler for the GPU (libnvrtc); install CUDA or the package nvidia-cuda-nvrtc and name "
      "the library in TAUT_NVRTC, or take --engine cpu.");
  return out;
}

}  // namespace

struct LaneGpu::Device {
  Driver driver{driver_library()};
  Compiler compiler{compiler_library()};
  void* context = nullptr;
  std::string name, architecture;
  std::vector<void*> programs;
  double compiling = 0.0;

  void check(int trouble, const char* what) const {
    require(trouble == 0, "--engine cuda: the GPU could not {} (error {}); take --engine cpu or general.", what, trouble);
  }

  Device() {
    require(driver.init(0) == 0, "--engine cuda: there is no GPU that answers; take --engine cpu or general.");
    int device = 0, major = 0, minor = 0;
    check(driver.device(&device, 0), "be found");
    std::array<char, 256> text{};
    driver.device_name(text.data(), int(text.size()) - 1, device);
    name = text.data();
    constexpr int capability_major = 75, capability_minor = 76;
    check(driver.attribute(&major, capability_major, device), "say what it is");
    check(driver.attribute(&minor, capability_minor, device), "say what it is");
    architecture = "--gpu-architecture=sm_" + std::to_string(10 * major + minor);
    check(driver.retain(&context, device), "be used");
    check(driver.set_current(context), "be used");
  }

  std::string compiled(const std::string& code) const {
    void* program = nullptr;
    check(compiler.create(&program, code.c_str(), "lanes.cu", 0, nullptr, nullptr), "take the code");
    const std::array<const char*, 3> options{architecture.c_str(), "--std=c++17", "--disable-warnings"};
    const int trouble = compiler.compile(program, int(options.size()), options.data());
    std::size_t size = 0;
    std::string out;
    if (trouble != 0) {
      compiler.log_size(program, &size);
      std::string words(size, '\0');
      compiler.log(program, words.data());
      compiler.destroy(&program);
      throw InputError(message("--engine cuda: its compiler did not take the code: {}", words.substr(0, words.find('\n'))));
    }
    check(compiler.code_size(program, &size), "compile");
    out.resize(size);
    check(compiler.code(program, out.data()), "compile");
    compiler.destroy(&program);
    return out;
  }
};

LaneGpu::LaneGpu() : device_(std::make_unique<Device>()) {}
LaneGpu::~LaneGpu() = default;
const std::string& LaneGpu::name() const { return device_->name; }
double LaneGpu::compile_seconds() const { return device_->compiling; }

int LaneGpu::load(const std::string& code) {
  Device& d = *device_;
  namespace fs = std::filesystem;
  std::error_code none;
  fs::create_directories(LaneKernel::folder(), none);
  const fs::path kept = fs::path(LaneKernel::folder()) / (content_name(code + d.architecture) + ".cubin");
  std::string binary;
  if (std::ifstream in(kept, std::ios::binary); in) binary.assign(std::istreambuf_iterator<char>(in), {});
  if (binary.empty()) {
    const auto begin = std::chrono::steady_clock::now();
    binary = d.compiled(code);
    d.compiling += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::string part = kept.string() + ".part";
    std::ofstream(part, std::ios::binary) << binary;
    fs::rename(part, kept, none);
  }
  void *module = nullptr, *function = nullptr;
  d.check(d.driver.set_current(d.context), "be used");
  d.check(d.driver.load_module(&module, binary.data()), "load the code");
  d.check(d.driver.get_function(&function, module, "taut_runs"), "load the code");
  d.programs.push_back(function);
  return int(d.programs.size()) - 1;
}

double LaneGpu::run(int program, const double* in, std::size_t inputs, double* out, std::size_t outputs, std::size_t count) {
  Device& d = *device_;
  const std::size_t number = sizeof(double);
  d.check(d.driver.set_current(d.context), "be used");
  const Room from(d.driver, number * inputs * count), to(d.driver, number * outputs * count);
  d.check(d.driver.to_device(from.at(), in, number * inputs * count), "take the numbers");
  constexpr unsigned threads = 64;
  Address first = from.at(), second = to.at();
  long runs = long(count);
  std::array<void*, 3> arguments{&first, &second, &runs};
  d.check(d.driver.synchronize(), "be used");
  const auto begin = std::chrono::steady_clock::now();
  d.check(d.driver.launch(d.programs.at(std::size_t(program)), unsigned((count + threads - 1) / threads), 1, 1, threads, 1,
                          1, 0, nullptr, arguments.data(), nullptr),
          "run");
  d.check(d.driver.synchronize(), "run to the end");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  d.check(d.driver.to_host(out, to.at(), number * outputs * count), "give the numbers back");
  return seconds;
}

}  // namespace taut
