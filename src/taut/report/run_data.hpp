#pragma once

#include <taut/results/results.hpp>

namespace taut {

using PartAction = std::function<void(const Recording& part, long first)>;
using EachPart = std::function<void(const PartAction&)>;

/// A run as JSON, as the page has it: from its summary, its times, and its records part by part. Results may be in a file or in memory.
std::string run_text(const Results& summary, const std::string& path, const std::vector<double>& t, const EachPart& each);

}  // namespace taut
