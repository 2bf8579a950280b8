#include <algorithm>
#include <taut/base/require.hpp>
#include <taut/system/system.hpp>

namespace taut {

System penalized(const System& system, double epsilon) {
  return penalized(system, epsilon, [](int) { return true; });
}

System penalized(const System& system, double epsilon, const std::function<bool(int)>& which) {
  require(epsilon > 0.0, "penalized: epsilon must be positive, got {}.", epsilon);
  return penalized(system, [&](int row) { return which(row) ? epsilon : 0.0; });
}

System penalized(const System& system, const std::function<double(int)>& epsilon) {
  System out = system;
  out.drop_constraints();
  int row = 0;
  for (const auto& block : system.constraints()) {
    std::vector<double> each(std::size_t(block->terms()));
    for (double& one : each) {
      one = epsilon(row);
      require(one >= 0.0, "penalized: epsilon must be positive, got {}.", one);
      row += block->rows();
    }
    std::vector<double> values = each;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    // Those that are held exactly come first, then the springs, by their stiffness.
    for (const double value : values) {
      std::vector<char> others;
      for (const double one : each) others.push_back(one != value ? 1 : 0);
      const std::unique_ptr<ConstraintBlock> part = values.size() == 1 ? block->clone() : block->without(others);
      require(part != nullptr, "'{}' cannot be penalised without those of its kind.", block->name(0));
      if (value > 0.0) {
        out.add_block(part->penalized(value));
      } else {
        out.add_block(part->clone());
      }
    }
  }
  return out;
}

}  // namespace taut
