#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <taut/model/run_model.hpp>
#include <taut/results/sweep_file.hpp>
#include <taut/study/sweep.hpp>
#include <taut/study/sweep_summary.hpp>
#include <taut/taut.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

using taut::testing::error_of;

/// A double pendulum by rods whose start is a parameter, as is the length of its second rod.
ModelBuilder swept_pendulum() {
  ModelBuilder out("Swept pendulum");
  out.parameter("l", 1.0).parameter("a", 0.5).gravity(9.81).point("O", {0, 0});
  out.mass("A", Tree::table({{"mass", 1}, {"at", {"sin(a)", "-cos(a)"}}}));
  out.mass("B", Tree::table({{"mass", 1}, {"at", {"sin(a) + l", "-cos(a)"}}}));
  out.rod({"O", "A"}).rod({"A", "B"});
  out.output("height", "B.y").output("reach", "B.x");
  out.run("until", 1).run("rtol", "1e-8");
  return out;
}

SweepSection varied(std::vector<std::pair<std::string, std::string>> vary) {
  SweepSection out;
  out.vary = std::move(vary);
  return out;
}

std::vector<SweepRow> rows_of(const ModelBuilder& model, const SweepSection& asked, int workers) {
  const ModelReader reader = model.reader();
  const ModelFile base = reader.read();
  const SweepPlan plan(asked, base);
  const SweepKeep keep = sweep_keep(asked.keep, base);
  std::vector<SweepRow> rows;
  SweepOptions options{.workers = workers, .take = [&](const SweepRow& row) { rows.push_back(row); }};
  for (long run = 0; run < plan.runs(); ++run) options.runs.push_back(run);
  sweep(reader, plan, keep, options);
  std::sort(rows.begin(), rows.end(), [](const SweepRow& x, const SweepRow& y) { return x.run < y.run; });
  return rows;
}

bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [](double a, double b) {
           return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
         });
}

TEST(Sweep, RunsOfOtherSizeAreKeptByName) {
  ModelBuilder chain("Chain");
  chain.parameter("N", 2.0).gravity(9.81).point("P0", {0, 0});
  chain.entry("masses", "P{i}", Tree::table({{"repeat", Tree::table({{"i", "1..N"}})}, {"mass", 1}, {"at", {"{i}", 0}}}));
  chain.item("rods", Tree::table({{"repeat", Tree::table({{"i", "1..N"}})}, {"do", {"P{i-1}", "P{i}"}}}));
  chain.entry("outputs", "y{i}", Tree::table({{"repeat", Tree::table({{"i", "1..N"}})}, {"do", "P{i}.y"}}));
  chain.run("until", "0.2").run("rtol", "1e-8");
  SweepSection asked = varied({{"N", "1,2,3"}});
  asked.keep = {"outputs", "final"};
  const std::vector<SweepRow> rows = rows_of(chain, asked, 1);
  ASSERT_EQ(rows.size(), 3u);
  // N, y1, y2, P1.x, P1.y, P2.x, P2.y, and their rates
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double>& row = rows[k].numbers;
    ASSERT_EQ(row.size(), 11u);
    EXPECT_EQ(row[1], row[4]);
    EXPECT_LT(row[1], 0.0);
    EXPECT_EQ(std::isnan(row[2]), k == 0);
    if (k > 0) EXPECT_EQ(row[2], row[6]);
    EXPECT_NEAR(std::hypot(row[3], row[4]), 1.0, 1e-12);
    EXPECT_EQ(std::isnan(row[10]), k == 0);
  }
}

TEST(SweepPlan, MakesAllCombinationsWithTheLastNameFastest) {
  const ModelFile model = swept_pendulum().build();
  const SweepPlan plan(varied({{"l", "0.5:2:4"}, {"a", "0.1, 0.2"}}), model);
  ASSERT_EQ(plan.runs(), 8);
  EXPECT_EQ(plan.values(0), (std::vector<double>{0.5, 0.1}));
  EXPECT_EQ(plan.values(1), (std::vector<double>{0.5, 0.2}));
  EXPECT_EQ(plan.values(2), (std::vector<double>{1.0, 0.1}));
  EXPECT_EQ(plan.values(7), (std::vector<double>{2.0, 0.2}));
  SweepSection beside = varied({{"l", "1, 2, 3"}, {"a", "0.1:0.3:3"}});
  beside.zip = true;
  const SweepPlan zipped(beside, model);
  ASSERT_EQ(zipped.runs(), 3);
  EXPECT_EQ(zipped.values(2), (std::vector<double>{3.0, 0.3}));
  const SweepPlan ratios(varied({{"l", "1e-3:10:5:log"}}), model);
  EXPECT_DOUBLE_EQ(ratios.values(1)[0], 1e-2);
  EXPECT_EQ(ratios.values(4)[0], 10.0);
  const SweepPlan units(varied({{"a", "30 deg, pi/4"}}), model);
  EXPECT_DOUBLE_EQ(units.values(0)[0], std::acos(-1.0) / 6.0);
}

TEST(SweepPlan, TakesEachPlaceOfTheGridWithAllSamples) {
  const ModelFile model = swept_pendulum().build();
  SweepSection asked = varied({{"l", "1, 2"}});
  asked.sample = {{"a", "uniform(0.1, 0.2)"}};
  asked.samples = 5;
  const SweepPlan plan(asked, model);
  ASSERT_EQ(plan.runs(), 10);
  for (long k = 0; k < 5; ++k) {
    EXPECT_EQ(plan.values(k)[0], 1.0);
    EXPECT_EQ(plan.values(k)[1], plan.values(k + 5)[1]);
  }
  asked.seed = 1;
  EXPECT_NE(SweepPlan(asked, model).values(0)[1], plan.values(0)[1]);
}

TEST(SweepPlan, SaysWhatIsWrongAndTheWayOut) {
  const ModelFile model = swept_pendulum().build();
  const auto trouble = [&](const SweepSection& asked) {
    return error_of([&] {
      const SweepPlan plan(asked, model);
      sweep_keep(asked.keep, model);
    });
  };
  const auto vary = [&](const std::string& name, const std::string& text) { return trouble(varied({{name, text}})); };
  EXPECT_NE(vary("len", "1:2:3").find("no parameter, coordinate or velocity 'len'"), std::string::npos);
  EXPECT_NE(vary("l", "1:2:0").find("empty grid"), std::string::npos);
  EXPECT_NE(vary("l", "").find("empty grid"), std::string::npos);
  EXPECT_NE(vary("l", "1:2").find("FROM:TO:HOW MANY"), std::string::npos);
  EXPECT_NE(vary("l", "-1:2:5:log").find("equal ratios"), std::string::npos);
  EXPECT_NE(vary("l", "two").find("no number"), std::string::npos);
  EXPECT_NE(trouble(varied({{"l", "0:1:1000000"}, {"a", "0:1:1000000"}})).find("1e+12 runs are too many"),
            std::string::npos);
  EXPECT_NE(trouble({}).find("nothing differs"), std::string::npos);
  SweepSection asked;
  asked.sample = {{"l", "normal(1, -2)"}};
  EXPECT_NE(trouble(asked).find("deviation must be positive, got -2"), std::string::npos);
  asked.sample = {{"l", "gamma(1, 2)"}};
  EXPECT_NE(trouble(asked).find("must read uniform(FROM, TO), normal(MEAN, DEVIATION)"), std::string::npos);
  asked = varied({{"l", "1, 2"}, {"a", "1, 2, 3"}});
  asked.zip = true;
  EXPECT_NE(trouble(asked).find("side by side they need as many"), std::string::npos);
  asked = varied({{"l", "1, 2"}});
  asked.keep = {"heigth"};
  EXPECT_NE(trouble(asked).find("did you mean 'height'"), std::string::npos);
  asked.keep = {"times=0:5:3"};
  EXPECT_NE(trouble(asked).find("does not lie within the run"), std::string::npos);
}

/// Φ by erfc, and a number of every table.
TEST(Distribution, InvertsTheNormalDistributionToRoundOff) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  for (const double u : {1e-300, 1e-12, 0.01, 0.3, 0.5, 0.77, 1.0 - 1e-9})
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(u) / std::sqrt(2.0)) / u, 1.0, 1e-12) << u;
}

/// Mean and deviation of n points: those of the distribution, which are exact formulas.
TEST(Distribution, HasItsExactMoments) {
  struct Case {
    const char* name;
    double mean, deviation;
  };
  const double e = std::exp(0.5 * 0.25 * 0.25);
  for (const Case& one : {Case{"uniform(2, 5)", 3.5, 3.0 / std::sqrt(12.0)}, Case{"normal(100, 5)", 100.0, 5.0},
                          Case{"lognormal(1, 0.25)", std::exp(1.0) * e, std::exp(1.0) * e * std::sqrt(e * e - 1.0)}}) {
    const Distribution spread = distribution_named(one.name, "test");
    for (const Sampling::Kind kind : {Sampling::Kind::random, Sampling::Kind::latin, Sampling::Kind::sobol}) {
      constexpr long n = 1 << 14;
      const Sampling sampling(kind, 3, n, 7);
      std::vector<double> values;
      for (long k = 0; k < n; ++k) values.push_back(spread.at(sampling.at(k, 2)));
      const ColumnSummary found = summary_of(values, std::vector<char>(n, 1));
      // At random the error is σ/√n, in each of the others far below.
      const double share = kind == Sampling::Kind::random ? 4.0 / std::sqrt(double(n)) : 1e-3;
      EXPECT_NEAR(found.mean, one.mean, share * one.deviation) << one.name;
      EXPECT_NEAR(found.deviation, one.deviation, 2.0 * share * one.deviation) << one.name;
      EXPECT_NEAR(found.quantiles[2], spread.at(0.5), 2.0 * share * one.deviation) << one.name;
    }
  }
}

/// Sobol's points are a net: of 2ᵐ points each interval of length 2⁻ᵐ holds one, in every direction; and in the first two directions together every
/// rectangle of area 2⁻ᵐ with sides of powers of two. Shifts of digits keep that. Latin hypercubes hold the first.
TEST(Sampling, FillsEverySlice) {
  constexpr int m = 8, n = 1 << m;
  for (const Sampling::Kind kind : {Sampling::Kind::latin, Sampling::Kind::sobol}) {
    const Sampling sampling(kind, 21, n, 3);
    for (int d = 0; d < 21; ++d) {
      std::set<int> slices;
      for (int k = 0; k < n; ++k) slices.insert(int(sampling.at(k, d) * n));
      EXPECT_EQ(slices.size(), std::size_t(n)) << d;
    }
  }
  const Sampling sobol(Sampling::Kind::sobol, 2, n, 3);
  for (int a = 0; a <= m; ++a) {
    std::set<std::pair<int, int>> boxes;
    for (int k = 0; k < n; ++k) boxes.insert({int(sobol.at(k, 0) * (1 << a)), int(sobol.at(k, 1) * (1 << (m - a)))});
    EXPECT_EQ(boxes.size(), std::size_t(n)) << a;
  }
}

TEST(Summary, AgreesWithNumbersDoneByHand) {
  const double none = std::nan("");
  const ColumnSummary found = summary_of({4.0, 1.0, none, 2.0, 100.0, 3.0}, {1, 1, 1, 1, 0, 1});
  EXPECT_EQ(found.count, 4);
  EXPECT_DOUBLE_EQ(found.mean, 2.5);
  EXPECT_DOUBLE_EQ(found.deviation, std::sqrt(5.0 / 3.0));
  EXPECT_DOUBLE_EQ(found.quantiles[2], 2.5);
  EXPECT_DOUBLE_EQ(found.quantiles[0], 1.15);
  EXPECT_EQ(found.least_run, 1);
  EXPECT_EQ(found.largest_run, 0);
}

TEST(Sweep, GivesTheSameBitsWithAnyNumberOfThreads) {
  SweepSection asked = varied({{"l", "0.5:2:6"}, {"a", "0.2, 0.9"}});
  asked.keep = {"outputs", "extremes", "final", "certificate", "times=0:1:5"};
  const std::vector<SweepRow> one = rows_of(swept_pendulum(), asked, 1);
  ASSERT_EQ(one.size(), 12u);
  for (const int workers : {2, 4}) {
    const std::vector<SweepRow> other = rows_of(swept_pendulum(), asked, workers);
    ASSERT_EQ(other.size(), one.size());
    for (std::size_t k = 0; k < one.size(); ++k) EXPECT_TRUE(same_bits(one[k].numbers, other[k].numbers)) << k;
  }
}

TEST(Sweep, RunsWhatARunOfTheModelWithTheseNumbersIs) {
  SweepSection asked = varied({{"l", "0.5, 1.7"}, {"A.x'", "0"}});
  asked.keep = {"final", "height", "times=0.5,1"};
  const std::vector<SweepRow> rows = rows_of(swept_pendulum(), asked, 2);
  const ModelFile model = swept_pendulum().build({.parameters = {{"l", "1.7"}}});
  RunPlan planned = plan(model);
  planned.options.renew = renewal_steps(model.system.size(), planned.integrator.traits());
  const RunOutcome outcome = run_model(model, planned);
  ASSERT_EQ(rows[1].numbers.size(), 2u + 1u + 2u + 8u);
  EXPECT_EQ(rows[1].numbers[2], outcome.last.q[3]) << "height at the end";
  EXPECT_NEAR(rows[1].numbers[4], outcome.last.q[3], 1e-9) << "at t = 1";
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[1].numbers[std::size_t(5 + i)], outcome.last.q[i]);
    EXPECT_EQ(rows[1].numbers[std::size_t(9 + i)], outcome.last.v[i]);
  }
}

TEST(Sweep, KeepsRunsThatCannotBeginWithTheirReason) {
  const std::vector<SweepRow> rows = rows_of(swept_pendulum(), varied({{"l", "1, -0.0, 2"}}), 2);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].verdict, Verdict::reached);
  EXPECT_EQ(rows[1].verdict, Verdict::failed);
  EXPECT_NE(rows[1].reason, "");
  EXPECT_EQ(rows[2].verdict, Verdict::reached);
}

TEST(SweepFile, IsTheSameWhateverTheOrderOfTheRowsAndTellsTornRows) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "taut_sweep_file";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  SweepHeader header{.version = "1",
                     .model_path = "m",
                     .model_text = "text",
                     .name = "n",
                     .settings = "{}",
                     .runs = 5,
                     .groups = {{"parameters", {"l"}, {1}}, {"outputs", {"x", "y"}, {2}}},
                     .times = {}};
  const auto row = [](long run) {
    return SweepRow{.run = run,
                    .verdict = run == 3 ? Verdict::diverged : Verdict::reached,
                    .reason = run == 3 ? "why" : "",
                    .numbers = {double(run) + 0.123, 0.5 * double(run)}};
  };
  const auto write = [&](const std::string& name, const std::vector<long>& runs, bool resume) {
    SweepFile file({.path = (folder / name).string(), .resume = resume}, header);
    for (const long run : runs)
      if (!file.done(run)) file.take(row(run)), file.flush();
  };
  write("a.h5", {0, 1, 2, 3, 4}, false);
  write("b.h5", {4, 2}, false);
  EXPECT_NE(error_of([&] { write("b.h5", {}, false); }).find("go on with --resume"), std::string::npos);
  write("b.h5", {3, 2, 1, 0}, true);
  const auto bytes = [&](const std::string& name) {
    std::ifstream in(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes("a.h5"), bytes("b.h5"));
  const SweepReader reader((folder / "a.h5").string());
  EXPECT_EQ(reader.done_count(), 5);
  EXPECT_EQ(reader.row(3).reason, "why");
  EXPECT_EQ(reader.column(1, 0)[4], 2.0);
  EXPECT_TRUE(std::isnan(reader.column(1, 1)[4])) << "what is missing at the end of a row is not a number";
  // One byte of a row that changed: that row is not there any more, the others are.
  std::string all = bytes("a.h5");
  const double two = 2.123;  // the parameter of run 2, which stands nowhere else
  const std::size_t at = all.find(std::string(reinterpret_cast<const char*>(&two), 8));
  all[at + 3] = 'x';
  std::ofstream(folder / "c.h5", std::ios::binary) << all;
  const SweepReader torn((folder / "c.h5").string());
  EXPECT_EQ(torn.done_count(), 4);
  header.settings = R"({"seed": 2})";
  EXPECT_NE(error_of([&] { write("a.h5", {}, true); }).find("was begun with"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace taut
