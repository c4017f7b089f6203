// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/mpi/transport.hpp>

namespace hyperplane::run_time {

/// What an object over ranks, whatever it is, says of how values come from rank to rank.
class Transported {
 public:
  virtual ~Transported() = default;
  virtual Transport transport() const = 0;
  /// See DistributedMultiBlock.
  virtual bool goes_through_devices() const { return false; }
};

}  // namespace hyperplane::run_time
