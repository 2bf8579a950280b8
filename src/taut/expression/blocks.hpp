#pragma once

#include <taut/expression/instances.hpp>
#include <taut/expression/shape.hpp>

namespace taut {

/// Blocks of expressions, for whoever writes other code of them.
struct OutlinedDynamics {
  virtual ~OutlinedDynamics() = default;
  virtual const DynamicsShape& shape() const = 0;
  virtual const InstanceSet& instances() const = 0;
};
struct OutlinedConstraints {
  virtual ~OutlinedConstraints() = default;
  virtual const ConstraintShape& shape() const = 0;
  virtual const InstanceSet& instances() const = 0;
  virtual bool whole() const = 0;  ///< no row of the shape was left out
};

/// The block of instances of one shape; one name for each.
std::unique_ptr<DynamicsBlock> expression_dynamics(std::shared_ptr<const DynamicsShape> shape, InstanceSet instances,
                                                   std::vector<std::string> names);

/// The same for constraints: a set and a name for each row of each instance, which are terms of their own.
std::unique_ptr<ConstraintBlock> expression_constraints(std::shared_ptr<const ConstraintShape> shape, InstanceSet instances,
                                                        std::vector<Set> sets, std::vector<std::string> names);

}  // namespace taut
