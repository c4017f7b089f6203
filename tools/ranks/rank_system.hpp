// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/mpi/distributed_status.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <memory>
#include <string>

#include "rank_vector.hpp"

namespace hyperplane::tools {

struct RankOptions {
  bool has_factors = false;
  Coupling coupling = Coupling::none;
  SweepPath path = SweepPath::automatic;
};

/// A matrix over ranks and its BILU(0), whatever the block size. Functions are collective where those of
/// DistributedStencil7 and DistributedMultiBlock are.
template <class Exec>
class RankSystem {
 public:
  using Vector = RankVector<Exec>;

  virtual ~RankSystem() = default;
  /// A grid block of this rank, from values on the host: (point, direction, r, c), c fastest. Waits.
  virtual void set_block(const Exec& exec, int number, const double* values) = 0;
  /// A grid block of a vector, from and to values on the host: point * n + c. Waits.
  virtual void set_block(const Exec& exec, const Vector& vector, int number, const double* values) const = 0;
  virtual void get_block(const Exec& exec, const Vector& vector, int number, double* values) const = 0;
  virtual void apply(const Exec& exec, const Vector& x, const Vector& y) const = 0;
  virtual std::string not_finite(const Exec& exec) const = 0;
  /// With factors alone.
  virtual void factor(const Exec& exec) = 0;
  /// Waits.
  virtual DistributedStatus<FactorStatus> status(const Exec& exec) const = 0;
  virtual void solve(const Exec& exec, const Vector& rhs, const Vector& x) const = 0;

  friend void apply(const Exec& exec, const RankSystem& a, const Vector& x, const Vector& y) { a.apply(exec, x, y); }
  friend std::string describe_not_finite(const Exec& exec, const RankSystem& a) { return a.not_finite(exec); }
};

/// Of the block size of the shape, if that is in a group of them; else null. Collective. Defined in rank_sizes.hpp.
template <int group, class Exec>
std::unique_ptr<RankSystem<Exec>> make_system_of_group(const Exec& exec, const RankShape& shape,
                                                       const RankOptions& options);

}  // namespace hyperplane::tools
