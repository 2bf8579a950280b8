#include <algorithm>
#include <taut/system/part.hpp>
#include <taut/system/system.hpp>

namespace taut {
namespace {

/// So many that what a part needs stays in the cache; blocks are of limited size too (see System).
constexpr int coordinates_of_part = 8000;

std::vector<Part> divided(const System& system, int count) {
  const int n = system.size();
  // The coordinate that a block begins with tells where it is.
  struct Touched {
    Part part;
    int first, end;
  };
  std::vector<Touched> all(std::size_t(count), {Part{}, n, 0});
  const auto part_of = [&](const Block& block) -> Part& {
    const auto& stencils = block.stencils();
    const long start = stencils.empty() ? 0 : stencils.front();
    Touched& touched = all[std::size_t(std::min<long>(count - 1, start * count / std::max(1, n)))];
    for (const int coordinate : stencils) {
      touched.first = std::min(touched.first, coordinate);
      touched.end = std::max(touched.end, coordinate + 1);
    }
    return touched.part;
  };
  for (std::size_t b = 0; b < system.dynamics().size(); ++b) part_of(*system.dynamics()[b]).dynamics.push_back(int(b));
  int row = 0;
  for (std::size_t b = 0; b < system.constraints().size(); ++b) {
    const ConstraintBlock& block = *system.constraints()[b];
    const int rows = block.terms() * block.rows();
    part_of(block).constraints.push_back({int(b), row, rows});
    row += rows;
  }
  std::erase_if(all, [](const Touched& t) { return t.part.dynamics.empty() && t.part.constraints.empty(); });
  if (all.empty()) all.push_back({Part{}, n, 0});
  all.back().end = n;
  std::vector<Part> parts;
  int to = 0;
  for (Touched& touched : all) {
    touched.part.from = to;
    touched.part.to = to = std::max(to, touched.end);
    parts.push_back(std::move(touched.part));
  }
  int later = n;
  for (std::size_t k = parts.size(); k-- > 0;) {
    parts[k].done = std::min(later, parts[k].to);
    later = std::min(later, all[k].first);
  }
  for (std::size_t k = 1; k < parts.size(); ++k) parts[k].settled = parts[k - 1].done;
  return parts;
}

}  // namespace

std::vector<Part> parts_of(const System& system) {
  return divided(system, std::max(1, system.size() / coordinates_of_part));
}

Part whole_of(const System& system) { return divided(system, 1).front(); }

}  // namespace taut
