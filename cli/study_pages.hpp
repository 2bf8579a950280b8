#pragma once

#include <string>
#include <taut/model/model_file.hpp>
#include <taut/study/compare.hpp>
#include <taut/study/verify.hpp>

#include "reproduce/experiment.hpp"

/// Pages of studies: see page_around() and viewer/src/study.js.
namespace taut::cli {

/// `runs`: motions by several schemes, which the page shows over each other; see compared_runs().
void write_compare_page(const Comparison& found, const ModelFile& model, const std::string& against,
                        const std::vector<std::string>& runs, const std::string& path);
void write_verify_page(const Verification& found, const ModelFile& model, const std::string& path);
/// Nothing is written where the program was built without the viewer.
void write_reproduce_page(const reproduce::Experiment& experiment, const reproduce::Outcome& outcome,
                          const std::string& path);

}  // namespace taut::cli
