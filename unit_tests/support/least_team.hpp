// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/launch.hpp>
#include <limits>

namespace hyperplane::test {

/// While an object of this class lives, kernels that move as many bytes are worth a team of threads.
class LeastTeam {
 public:
  explicit LeastTeam(double bytes) : m_before(detail::least_team_bytes) { detail::least_team_bytes = bytes; }
  ~LeastTeam() { detail::least_team_bytes = m_before; }
  LeastTeam(const LeastTeam&) = delete;
  LeastTeam& operator=(const LeastTeam&) = delete;

 private:
  double m_before;
};

inline constexpr double always_teams = 0;
inline constexpr double never_teams = std::numeric_limits<double>::infinity();
/// What users have.
inline double const usual_teams = detail::least_team_bytes;

}  // namespace hyperplane::test
