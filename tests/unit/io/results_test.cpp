#include <filesystem>
#include <fstream>
#include <taut/results/checkpoint_numbers.hpp>
#include <taut/results/file_lock.hpp>
#include <taut/results/run_file.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

/// A folder for one test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "taut_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

State state(double t, int carried) {
  return {.t = t,
          .q = Vector::Constant(2, t + 1.0),
          .v = Vector::Constant(2, t + 2.0),
          .p = Vector::Constant(2, t + 3.0),
          .lambda = Vector::Constant(1, t + 4.0),
          .carried = Vector::LinSpaced(carried, 0.0, 1.0)};
}

Checkpoint checkpoint(int carried, int earlier) {
  Checkpoint out{.step = 7, .last = state(2.0, carried), .control = {0.1, 0.2, 0.3, 0.4, 0.5}, .mode = {1.0}, .watch = {}};
  for (int k = 0; k < earlier; ++k) out.earlier.push_back(state(k, k));
  out.counts.steps = 1234567890123;
  out.counts.newton_most = 9;
  out.counts.projection_energy = -1e-300;
  return out;
}

RunHeader header() {
  return {.version = "0",
          .model_path = "/model.yaml",
          .model_text = "model",
          .name = "",
          .integrator = "midpoint",
          .solver = "multipliers",
          .options = R"({"set":[],"run":{"step":"1e-4"}})",
          .until = 1.0,
          .coordinates = {"x", "y"},
          .constraints = {"rod"},
          .outputs = {}};
}

void expect_same(const Checkpoint& a, const Checkpoint& b) { EXPECT_EQ(to_numbers(a), to_numbers(b)); }

TEST(CheckpointNumbers, GiveBackACheckpointOfAnySize) {
  for (const int carried : {0, 1, 5, 1000})
    for (const int earlier : {0, 1, 9}) {
      const Checkpoint point = checkpoint(carried, earlier), back = to_checkpoint(to_numbers(point));
      expect_same(point, back);
      EXPECT_EQ(back.counts.steps, 1234567890123);
      EXPECT_EQ(back.last.carried.size(), carried);
      EXPECT_EQ(int(back.earlier.size()), earlier);
    }
}

TEST(CheckpointNumbers, RefuseLengthsThatCannotBe) {
  const std::vector<double> good = to_numbers(checkpoint(3, 2));
  for (std::size_t k = 0; k < good.size(); ++k)
    for (const double wrong : {1e18, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      std::vector<double> bad = good;
      bad[k] = wrong;
      try {
        to_checkpoint(bad);  // either a number was changed, or a length: then it is told
      } catch (const InputError&) {
      }
    }
  EXPECT_THROW(to_checkpoint({good.data(), good.size() - 1}), InputError);
}

TEST(Results, KeepCheckpointsThatGrow) {
  const Folder folder;
  const std::string path = folder / "run.h5";
  const State one = state(0.5, 0);
  const std::vector<double> certificate(321, 1.5);
  {
    ResultsWriter writer(path, header());
    for (const int carried : {2, 50'000, 3}) {
      writer.append({one.t, one.q.data(), one.v.data(), one.lambda.data(), nullptr, 1.0, 2.0, 3.0, 4.0, 5});
      writer.checkpoint(checkpoint(carried, 3), certificate);
    }
    writer.event(0, 0.25, one.q, one.v);
    writer.finish(Verdict::stopped, "by an event");
  }
  const Results back = read_results(path);
  EXPECT_EQ(back.records, 3);
  EXPECT_EQ(back.checkpoint_records, 3);
  EXPECT_EQ(back.checkpoint_events, 0);
  EXPECT_EQ(back.checkpoint_certificate, certificate);
  EXPECT_TRUE(back.finished);
  EXPECT_EQ(back.verdict, Verdict::stopped);
  EXPECT_EQ(back.message, "by an event");
  EXPECT_EQ(back.header.until, 1.0);
  ASSERT_TRUE(back.checkpoint);
  expect_same(*back.checkpoint, checkpoint(3, 3));
}

TEST(FileLock, IsHeldByOneAndFreeAfterwards) {
  const Folder folder;
  const std::string path = folder / "run.h5";
  EXPECT_FALSE(FileLock::held(path));
  {
    const FileLock lock(path);
    EXPECT_TRUE(FileLock::held(path));
    EXPECT_NE(testing::error_of([&] { const FileLock other(path); }).find("is being written by process"), std::string::npos);
  }
  EXPECT_FALSE(FileLock::held(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
  std::ofstream(path + ".lock") << "process 1 on a machine that went down\n";
  const FileLock lock(path);
}

TEST(RunFile, WritesTheLastCheckpointOfAnInterruptedRun) {
  const Folder folder;
  const std::string path = folder / "run.h5";
  const State one = state(0.5, 0);
  {
    RunFile file({.path = path, .checkpoint_seconds = 1e9}, header());
    for (const int carried : {1, 2, 3}) {
      file.writer().append({one.t, one.q.data(), one.v.data(), one.lambda.data(), nullptr, 1.0, 2.0, 3.0, 4.0, 5});
      file.checkpoint(checkpoint(carried, 1), {double(carried)});
    }
    file.writer().append({one.t, one.q.data(), one.v.data(), one.lambda.data(), nullptr, 1.0, 2.0, 3.0, 4.0, 5});
    file.finish(Verdict::stopped, "interrupted", true);
  }
  EXPECT_NE(testing::error_of([&] { RunFile file({.path = path}, header()); }).find("not finished"), std::string::npos);
  const RunFile file({.path = path, .resume = true}, header());
  ASSERT_NE(file.old(), nullptr);
  EXPECT_EQ(file.old()->records, 4);
  EXPECT_EQ(file.old()->checkpoint_records, 3);
  EXPECT_EQ(file.old()->checkpoint_certificate, std::vector<double>{3.0});
  expect_same(*file.old()->checkpoint, checkpoint(3, 1));
}

TEST(RunFile, NamesVariantsByWhatIsSet) {
  EXPECT_EQ(default_results_name("cases/pendulum.yaml", {}), "pendulum.h5");
  EXPECT_EQ(default_results_name("pendulum.yaml", {{"l", "2.0"}}), "pendulum.l=2.h5");
  EXPECT_EQ(default_results_name("pendulum.yaml", {{"m", "1"}, {"l", "3"}, {"l", "2"}}), "pendulum.l=2.m=1.h5");
  EXPECT_NE(default_results_name("a.yaml", {{"l", "2*3"}}), default_results_name("a.yaml", {{"l", "2/3"}}));
  EXPECT_LT(default_results_name("a.yaml", {{"l", std::string(5000, '1')}}).size(), 130u);
}

}  // namespace
}  // namespace taut
