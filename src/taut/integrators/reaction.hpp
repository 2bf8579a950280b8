#pragma once

namespace taut {

/// Where a step places the direction G of its constraint forces. The papers write `new_point`: it costs an order and takes energy,
/// ΔE = −¼ μ|x′₊ − x′₋|² per step for GCN, −½ μ|x′₊ − x′|² for Newmark; centred keeps both.
enum class Reaction {
  new_point,  ///< at the new configuration
  middle,     ///< at the configuration between the oldest and the newest of three
  centred     ///< between the oldest and the newest configuration of the step
};

}  // namespace taut
