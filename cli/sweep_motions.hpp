#pragma once

#include <taut/model/sweep_record.hpp>
#include <taut/study/sweep.hpp>

namespace taut::cli {

/// How many runs are to be kept with their motion, by the word `motion` or `motion=N` among those of --keep, which is taken out; 0: none.
long take_motions(std::vector<std::string>& keep);

/// Makes so many of the runs again, evenly chosen, each into a results file of its own beside the sweep, where its page looks for them. What was there is replaced.
/// Returns the folder.
std::string keep_motions(const std::string& path, const ModelReader& reader, const SweepPlan& plan,
                         const SweepHeader& header, long count);

}  // namespace taut::cli
