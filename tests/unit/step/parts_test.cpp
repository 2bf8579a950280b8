#include <gtest/gtest.h>

#include <taut/step/assembly.hpp>
#include <taut/step/sliding.hpp>
#include <taut/taut.hpp>

#include "sanitized.hpp"

namespace taut {
namespace {

/// A chain whose rods are added in another order: every block then reaches over all of it.
struct Chain {
  System system;
  State start;
};
Chain chain_of(int links, int stride) {
  System system(Points{.count = links + 1, .dim = 2, .mass = 0.1});
  system.add(Gravity{});
  system.add(Hold<>{0, {0.0, 0.0}});
  for (int k = 0; k < links; ++k) {
    const int link = int(long(k) * stride % links);
    system.add(Distance{link, link + 1, 0.1});
  }
  Vector q(2 * (links + 1)), v = Vector::Zero(q.size());
  for (int k = 0; k <= links; ++k) {
    q[2 * k] = 0.1 * k;
    q[2 * k + 1] = 0.0;
    v[2 * k + 1] = 0.1 * std::sin(0.01 * k);
  }
  return {system, state_at(system, 0.0, q, v)};
}

TEST(Parts, CoverASystemOnceAndInOrder) {
  for (const int stride : {1, 997}) {
    const Chain chain = chain_of(13000, stride);
    const std::vector<Part> parts = parts_of(chain.system);
    EXPECT_GT(parts.size(), stride == 1 ? 2u : 0u);
    int from = 0, settled = 0, rows = 0;
    std::size_t blocks = 0;
    for (const Part& part : parts) {
      EXPECT_EQ(part.from, from);
      EXPECT_EQ(part.settled, settled);
      EXPECT_LE(part.settled, part.from);
      EXPECT_LE(part.done, part.to);
      from = part.to;
      settled = part.done;
      const auto inside = [&](const Block& block) {
        ++blocks;
        for (const int coordinate : block.stencils()) {
          EXPECT_GE(coordinate, part.settled);
          EXPECT_LT(coordinate, part.to);
        }
      };
      for (const int b : part.dynamics) inside(*chain.system.dynamics()[b]);
      for (const Part::Rows& one : part.constraints) {
        inside(*chain.system.constraints()[one.block]);
        rows += one.count;
      }
    }
    EXPECT_EQ(from, chain.system.size());
    EXPECT_EQ(settled, chain.system.size());
    EXPECT_EQ(rows, chain.system.constraint_count());
    EXPECT_EQ(blocks, chain.system.dynamics().size() + chain.system.constraints().size());
  }
}

TEST(Parts, SlidingColumnsKeepWhatIsNotFinished) {
  const Chain chain = chain_of(13000, 1);
  const std::vector<Part> parts = parts_of(chain.system);
  Sliding sliding(parts, 2);
  for (int round = 0; round < 2; ++round)
    for (const Part& part : parts) {
      sliding.enter(part);
      for (int k = 0; k < 2; ++k) {
        for (int i = part.from; i < part.to; ++i) sliding.column(k)[i] = 10.0 * i + k;
        for (int i = part.settled; i < part.to; ++i) ASSERT_EQ(sliding.column(k)[i], 10.0 * i + k);
      }
    }
}

TEST(Parts, DoNotChangeTheMotion) {
  const Chain ordered = chain_of(13000, 1), mixed = chain_of(13000, 997);
  const std::vector<const char*> all{"newmark", "energy-momentum", "midpoint", "spark2"}, some{"energy-momentum"};
  for (const char* name : sanitized ? some : all) {
    const SimulateOptions options{.step = 1e-3, .end = 3e-3, .every = 0};
    const auto a = simulate(ordered.system, ordered.start, integrator_named(name), Multipliers{}, options);
    const auto b = simulate(mixed.system, mixed.start, integrator_named(name), Multipliers{}, options);
    ASSERT_TRUE(a.finished() && b.finished()) << name << ": " << a.message << b.message;
    EXPECT_LE((a.last.q - b.last.q).lpNorm<Eigen::Infinity>(), 1e-9) << name;
    EXPECT_LE((a.last.v - b.last.v).lpNorm<Eigen::Infinity>(), 1e-6) << name;
    EXPECT_GT((a.last.q - ordered.start.q).lpNorm<Eigen::Infinity>(), 1e-4) << name;
  }
}

TEST(Layout, NumbersPlaneBeamsMoreNarrowlyThanCuthillMcKee) {
  for (const int dim : {2, 3}) {
    Beam beam(
        {.length = 50.0, .elements = 100, .density = 1.0, .stiffness = 1.0, .start = {.support = BeamEnd::Support::clamped}},
        dim);
    System system(Points{.count = 0, .dim = dim}, beam.coordinates());
    beam.add_to(system);
    const Assembly assembly(system, {.constraints = true, .curvature = true});
    EXPECT_EQ(assembly.layout()->kind(), Layout::Kind::banded);
    EXPECT_LE(assembly.layout()->half_bandwidth(), dim == 2 ? 7 : 10);
  }
}

}  // namespace
}  // namespace taut
