// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/cuda/event.hpp>
#include <hyperplane/cuda/peer_access.hpp>
#include <hyperplane/grid/ordered_instances.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On CUDA instances are on several devices, which have access to one another's memory. Parts may share a device. The
/// caller's instance is on the device of the lowest part, and order is by events: nobody waits on the host. Where a
/// device is lost, the instances are of no more use.
template <CudaExecutionSpace Exec>
class OrderedInstances<Exec> {
 public:
  /// Throws Error, which names `owner`, where there is no instance, where two are on one stream, and where devices have
  /// no access to one another's memory.
  OrderedInstances(const std::string& owner, const std::vector<Exec>& instances)
      : m_shared(std::make_shared<Shared>(owner, instances)) {
    check();
    for (auto const& from : instances) {
      for (auto const& to : instances) cuda::enable_peer_access(from.cuda_device(), to.cuda_device());
    }
    m_shared->done.resize(instances.size());
    for_parts([&](int p) { m_shared->done[as_size(p)] = std::make_unique<cuda::Event>(); });
    cuda::CurrentDevice const current(exec(0).cuda_device());
    m_shared->begun = std::make_unique<cuda::Event>();
  }

  /// Number of parts.
  int count() const { return static_cast<int>(m_shared->instances.size()); }
  const Exec& exec(int p) const { return m_shared->instances[as_size(p)]; }

  /// launch(p) with the device of part p as the current one, for each part.
  template <class Launch>
  void for_parts(const Launch& launch) const {
    for (int p = 0; p < count(); ++p) {
      cuda::CurrentDevice const current(exec(p).cuda_device());
      launch(p);
    }
  }

  /// The same, where launches come after all that is on `exec` and the instances of the parts, and before what is
  /// launched on `exec` later, also where a launch throws. Throws Error where `exec` is not on the device of the lowest
  /// part.
  template <class Launch>
  void run(const Exec& exec, const Launch& launch) const {
    begin(exec);
    launch_and_gather([&] { for_parts(launch); }, [&] { gather(exec); });
  }

  /// As run(), for what launches on the instances of the parts by itself, kernels that wait for those of other parts.
  /// Where it throws half-way, they may wait for good, and nothing on `exec` comes behind them.
  template <class Launches>
  void in_order(const Exec& exec, const Launches& launches) const {
    begin(exec);
    launches();
    gather(exec);
  }

  /// As run(), in 0 <= step < count steps: launch(step, p) comes after all parts have taken the step before.
  template <class Launch>
  void run_steps(const Exec& exec, int count, const Launch& launch) const {
    begin(exec);
    auto const steps = [&] {
      for (int step = 0; step < count; ++step) {
        if (step > 0) {
          gather(exec);
          hand_out(exec);
        }
        for_parts([&](int p) { launch(step, p); });
      }
    };
    launch_and_gather(steps, [&] { gather(exec); });
  }

  friend bool operator==(const OrderedInstances& a, const OrderedInstances& b) {
    if (a.m_shared == b.m_shared) return true;
    if (a.count() != b.count()) return false;
    for (int p = 0; p < a.count(); ++p) {
      if (a.apart(b.exec(p), p)) return false;
    }
    return true;
  }

 private:
  struct Shared {
    Shared(const std::string& name, const std::vector<Exec>& given) : owner(name), instances(given) {}
    std::string owner;
    std::vector<Exec> instances;
    // Of each part, and of an instance for all.
    std::vector<std::unique_ptr<cuda::Event>> done;
    std::unique_ptr<cuda::Event> begun;
  };

  void check() const {
    if (count() == 0) fail(m_shared->owner + ": there is no execution space instance");
    for (int p = 0; p < count(); ++p) {
      for (int other = 0; other < p; ++other) {
        if (apart(exec(other), p)) continue;
        fail(m_shared->owner + ": parts " + std::to_string(other) + " and " + std::to_string(p) +
             " are on one stream, and wait for one another");
      }
    }
  }

  /// Launches on the instances of the parts come after all that is on `exec` and on them.
  void begin(const Exec& exec) const {
    if (exec.cuda_device() != this->exec(0).cuda_device()) {
      fail(m_shared->owner + ": the execution space instance is on CUDA device " + std::to_string(exec.cuda_device()) +
           ", the lowest part on device " + std::to_string(this->exec(0).cuda_device()));
    }
    gather(exec);
    hand_out(exec);
  }

  /// Whether an instance is not that of part p.
  bool apart(const Exec& other, int p) const {
    // Handles of default streams are the same on all devices.
    return other.cuda_stream() != exec(p).cuda_stream() || other.cuda_device() != exec(p).cuda_device();
  }

  /// What comes on `exec` waits for all parts.
  void gather(const Exec& exec) const {
    for_parts([&](int p) {
      if (apart(exec, p)) m_shared->done[as_size(p)]->record(this->exec(p).cuda_stream());
    });
    cuda::CurrentDevice const current(exec.cuda_device());
    for (int p = 0; p < count(); ++p) {
      if (apart(exec, p)) m_shared->done[as_size(p)]->wait(exec.cuda_stream());
    }
  }

  /// What comes on the instances of the parts waits for `exec`.
  void hand_out(const Exec& exec) const {
    {
      cuda::CurrentDevice const current(exec.cuda_device());
      m_shared->begun->record(exec.cuda_stream());
    }
    for_parts([&](int p) {
      if (apart(exec, p)) m_shared->begun->wait(this->exec(p).cuda_stream());
    });
  }

  std::shared_ptr<Shared> m_shared;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
