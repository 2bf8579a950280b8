#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <taut/model/recorder.hpp>

namespace taut {

/// The motion of a run for a page: what of the scene moves, at chosen records, as multiples of a quantum.
class Motion {
 public:
  /// `besides`: times at which a record is to be among the chosen ones.
  Motion(const RunHeader& header, const std::vector<double>& t, const std::vector<double>& besides);

  /// The next records, the first of which has this number.
  void add(const Recording& part, std::size_t first);

  /// Writes `scene`, `motion` and `reactions`, and what is to be said about them.
  void into(nlohmann::ordered_json& out, std::vector<std::string>& notes) const;

 private:
  struct Scalar {
    Scene::Affine form{};
    int track = -1;     ///< a number of a record's tracks instead
    bool unit = false;  ///< a part of a direction
  };
  nlohmann::ordered_json axis(const Scene::Affine& form, bool unit) const;
  nlohmann::ordered_json scene() const;
  void note(const Scene::Affine& form, bool unit);
  bool shows_coordinates(const Scene::Place& place) const;
  std::vector<std::size_t> good_frames(double& extent) const;

  const RunHeader& header_;
  const std::vector<double>& t_;
  std::vector<Scalar> scalars_;
  std::map<std::pair<std::vector<std::pair<int, double>>, double>, int> known_;  // forms that are scalars already
  int first_track_ = 0;
  std::vector<int> lags_;  // of scalars, to neighbours that move alike
  std::vector<int> rows_;  // of reactions
  std::vector<std::size_t> frames_;
  std::size_t next_ = 0;
  std::vector<double> values_, lambda_;  // frame by frame
};

}  // namespace taut
