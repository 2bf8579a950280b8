#include <bit>
#include <cstdint>
#include <filesystem>
#include <taut/base/require.hpp>
#include <taut/results/export.hpp>
#include <taut/results/output_file.hpp>

namespace taut {
namespace {

std::string quoted(const std::string& word) {
  if (word.find_first_of(",\"\n") == std::string::npos) return word;
  std::string out = "\"";
  for (const char c : word) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void write_csv(const Recording& r, const std::string& path) {
  OutputFile file(path);
  std::ofstream& out = file.stream();
  const std::size_t n = r.header.coordinates.size(), m = r.header.constraints.size(), k = r.header.outputs.size();
  out << "t";
  for (const std::string& name : r.header.coordinates) out << "," << quoted(name);
  for (const std::string& name : r.header.coordinates) out << "," << quoted(name + "'");
  for (const std::string& name : r.header.constraints) out << "," << quoted("lambda of " + name);
  for (const std::string& name : r.header.outputs) out << "," << quoted(name);
  out << ",kinetic,potential,|g|,|G v|\n";
  const auto row = [&](const std::vector<double>& from, std::size_t at, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i) out << "," << exact(from[at * width + i]);
  };
  for (std::size_t s = 0; s < std::size_t(r.records); ++s) {
    out << exact(r.t[s]);
    row(r.q, s, n);
    row(r.v, s, n);
    row(r.lambda, s, m);
    row(r.outputs, s, k);
    row(r.energy, s, 2);
    row(r.residual, s, 2);
    out << "\n";
  }
  file.finish();
}

/// A ZIP archive without compression, which is what numpy.savez writes too.
class Zip {
 public:
  explicit Zip(std::ofstream& out) : out_(out) {}

  void add(const std::string& name, const std::string& content) {
    require(offset_ + content.size() < 0xffff0000u,
            "convert: the results are too large for .npz; use the HDF5 file itself.");
    entries_.push_back({name, crc(content), std::uint32_t(content.size()), std::uint32_t(offset_)});
    const Entry& e = entries_.back();
    std::string head = le32(0x04034b50) + le16(20) + le16(0) + le16(0) + le16(0) + le16(0x21) + le32(e.crc) + le32(e.size) +
                       le32(e.size) + le16(std::uint16_t(name.size())) + le16(0) + name;
    out_ << head << content;
    offset_ += head.size() + content.size();
  }
  void finish() {
    std::string directory;
    for (const Entry& e : entries_)
      directory += le32(0x02014b50) + le16(20) + le16(20) + le16(0) + le16(0) + le16(0) + le16(0x21) + le32(e.crc) +
                   le32(e.size) + le32(e.size) + le16(std::uint16_t(e.name.size())) + le16(0) + le16(0) + le16(0) + le16(0) +
                   le32(0) + le32(e.offset) + e.name;
    const auto count = std::uint16_t(entries_.size());
    out_ << directory << le32(0x06054b50) << le16(0) << le16(0) << le16(count) << le16(count)
         << le32(std::uint32_t(directory.size())) << le32(std::uint32_t(offset_)) << le16(0);
  }

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc, size, offset;
  };
  static std::string le16(std::uint16_t x) { return {char(x & 255), char(x >> 8)}; }
  static std::string le32(std::uint32_t x) { return le16(std::uint16_t(x & 0xffff)) + le16(std::uint16_t(x >> 16)); }
  static std::uint32_t crc(const std::string& content) {
    std::uint32_t sum = 0xffffffffu;
    for (const char c : content) {
      sum ^= std::uint8_t(c);
      for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (0xedb88320u & (0u - (sum & 1u)));
    }
    return ~sum;
  }

  std::ofstream& out_;
  std::vector<Entry> entries_;
  std::size_t offset_ = 0;
};

std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  std::string head = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  head.resize((10 + head.size() + 1 + 63) / 64 * 64 - 11, ' ');
  head += "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + char(head.size() & 255) + char(head.size() >> 8) + head + data;
}

void write_npz(const Recording& r, const std::string& path) {
  static_assert(std::endian::native == std::endian::little);
  OutputFile file(path);
  Zip zip(file.stream());
  const std::string rows = std::to_string(r.records) + ",";
  const auto numbers = [&](const std::string& name, const std::vector<double>& values, std::size_t width) {
    zip.add(name + ".npy", npy("<f8", width == 0 ? rows + "0" : (name == "t" ? rows : rows + std::to_string(width)),
                               {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)}));
  };
  const auto words = [&](const std::string& name, const std::vector<std::string>& all) {
    std::size_t length = 1;
    for (const std::string& word : all) length = std::max(length, word.size());
    std::string data(length * all.size(), '\0');
    for (std::size_t k = 0; k < all.size(); ++k)
      std::copy(all[k].begin(), all[k].end(), data.begin() + std::ptrdiff_t(k * length));
    zip.add(name + ".npy", npy("|S" + std::to_string(length), std::to_string(all.size()) + ",", data));
  };
  numbers("t", r.t, 1);
  numbers("q", r.q, r.header.coordinates.size());
  numbers("v", r.v, r.header.coordinates.size());
  numbers("lambda", r.lambda, r.header.constraints.size());
  numbers("outputs", r.outputs, r.header.outputs.size());
  numbers("energy", r.energy, 2);
  numbers("residual", r.residual, 2);
  words("coordinates", r.header.coordinates);
  words("constraints", r.header.constraints);
  words("output_names", r.header.outputs);
  zip.finish();
  file.finish();
}

}  // namespace

void export_results(const Recording& results, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".csv") return write_csv(results, path);
  if (ending == ".npz") return write_npz(results, path);
  if (ending == ".vtk" || ending == ".vtp" || ending == ".pvd") return write_vtk(results, path);
  if (ending == ".gltf" || ending == ".glb") return write_gltf(results, path);
  require(false, "convert: '{}' must end in .csv, .npz, .pvd, .vtk, .gltf or .glb.", path);
}

}  // namespace taut
