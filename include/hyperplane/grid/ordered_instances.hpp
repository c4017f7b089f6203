// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// undo(), where an error is to be thrown that is not to be replaced by one of undo().
template <class Undo>
void after_error(const Undo& undo) {
  try {
    undo();
  } catch (...) {
    return;
  }
}

/// launches(), then gather(), behind which comes what follows: also where launches() throws half-way. Of two errors the
/// first one is thrown.
template <class Launches, class Gather>
void launch_and_gather(const Launches& launches, const Gather& gather) {
  try {
    launches();
  } catch (...) {
    after_error(gather);
    throw;
  }
  gather();
}

/// An instance for each part of something, such as a grid, and how what works on all parts is ordered beside one more
/// instance, that of the caller. A specialization has those of several CUDA devices. Here all instances have one
/// memory, as those of a host have, and what comes after another thing waits for it by a fence.
///
/// A shared handle. One thread at a time works on it and its copies.
template <ExecutionSpace Exec>
class OrderedInstances {
 public:
  /// Throws Error, which names `owner`, where there is no instance.
  OrderedInstances(const std::string& owner, const std::vector<Exec>& instances)
      : m_instances(std::make_shared<const std::vector<Exec>>(instances)) {
    if (instances.empty()) fail(owner + ": there is no execution space instance");
  }

  /// Number of parts.
  int count() const { return static_cast<int>(m_instances->size()); }
  const Exec& exec(int p) const { return (*m_instances)[as_size(p)]; }

  /// launch(p) for each part.
  template <class Launch>
  void for_parts(const Launch& launch) const {
    for (int p = 0; p < count(); ++p) launch(p);
  }

  /// The same, where launches come after all that is on `exec` and the instances of the parts, and before what is
  /// launched on `exec` later, also where a launch throws.
  template <class Launch>
  void run(const Exec& exec, const Launch& launch) const {
    in_order(exec, [&] { for_parts(launch); });
  }

  /// As run(), in 0 <= step < count steps: launch(step, p) comes after all parts have taken the step before.
  template <class Launch>
  void run_steps(const Exec& exec, int count, const Launch& launch) const {
    in_order(exec, [&] {
      for (int step = 0; step < count; ++step) {
        if (step > 0) wait_for_parts();
        for_parts([&](int p) { launch(step, p); });
      }
    });
  }

  friend bool operator==(const OrderedInstances& a, const OrderedInstances& b) {
    return a.m_instances == b.m_instances || *a.m_instances == *b.m_instances;
  }

 private:
  template <class Launches>
  void in_order(const Exec& exec, const Launches& launches) const {
    exec.fence("Hyperplane: before all parts");
    wait_for_parts();
    launch_and_gather(launches, [&] { wait_for_parts(); });
  }
  void wait_for_parts() const {
    for (auto const& instance : *m_instances) instance.fence("Hyperplane: all parts");
  }

  std::shared_ptr<const std::vector<Exec>> m_instances;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
