// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/cuda/event.hpp>
#include <hyperplane/cuda/peer_access.hpp>
#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A box over several CUDA devices of one process: it is cut along k into as many parts, of as equal numbers of layers
/// as can be, and each part has an instance on its device. Parts may share a device, to try things out. Let k be the
/// longest axis: BILU(0) and SSOR are the same, but for rounding, whatever the axes are called.
///
/// What works on all parts takes an instance of its own, `exec`, on the device of the lowest part: it comes after what
/// has been launched on that instance and on those of the parts, and before what is launched on that instance later. So
/// a caller sees one instance, as with one device. Where a launch fails, as on a device that is lost, the box is of no
/// more use.
///
/// A shared handle. One thread at a time works on a box and its copies.
template <CudaExecutionSpace Exec>
class GridOnDevices {
 public:
  using execution_space = Exec;

  /// An instance for each part, from the lowest on, each on a stream of its own. Throws Error where there are more
  /// parts than layers, and where devices have no access to one another's memory.
  GridOnDevices(const std::vector<Exec>& instances, const Grid& box)
      : m_shared(std::make_shared<Shared>(instances, box)) {
    check();
    for (auto const& from : instances) {
      for (auto const& to : instances) cuda::enable_peer_access(from.cuda_device(), to.cuda_device());
    }
    m_shared->done.resize(instances.size());
    for_parts([&](int p) { m_shared->done[detail::as_size(p)] = std::make_unique<cuda::Event>(); });
    cuda::CurrentDevice const current(exec(0).cuda_device());
    m_shared->begun = std::make_unique<cuda::Event>();
  }

  const Grid& box() const { return m_shared->box; }
  /// Number of parts.
  int count() const { return static_cast<int>(m_shared->instances.size()); }
  /// Layers first_layer(p) to first_layer(p + 1) of the box.
  Grid part(int p) const { return {box().ni(), box().nj(), first_layer(p + 1) - first_layer(p)}; }
  int first_layer(int p) const { return first_layer(box(), p, count()); }
  static int first_layer(const Grid& box, int p, int count) {
    return static_cast<int>(static_cast<long long>(box.nk()) * p / count);
  }
  const Exec& exec(int p) const { return m_shared->instances[detail::as_size(p)]; }

  /// launch(p) with the device of part p as the current one, for each part.
  template <class Launch>
  void for_parts(const Launch& launch) const {
    for (int p = 0; p < count(); ++p) {
      cuda::CurrentDevice const current(exec(p).cuda_device());
      launch(p);
    }
  }

  /// The same, where launches come after all that is on `exec` and the instances of the parts, and before what is
  /// launched on `exec` later. Nobody waits on the host.
  template <class Launch>
  void run(const Exec& exec, const Launch& launch) const {
    in_order(exec, [&] { for_parts(launch); });
  }

  /// As run(), for what launches on the instances of the parts by itself.
  template <class Launches>
  void in_order(const Exec& exec, const Launches& launches) const {
    if (exec.cuda_device() != this->exec(0).cuda_device()) {
      fail("GridOnDevices: the execution space instance is on CUDA device " + std::to_string(exec.cuda_device()) +
           ", the lowest part on device " + std::to_string(this->exec(0).cuda_device()));
    }
    gather(exec);
    {
      cuda::CurrentDevice const current(exec.cuda_device());
      m_shared->begun->record(exec.cuda_stream());
    }
    for_parts([&](int p) {
      if (apart(exec, p)) m_shared->begun->wait(this->exec(p).cuda_stream());
    });
    launches();
    gather(exec);
  }

  friend bool operator==(const GridOnDevices& a, const GridOnDevices& b) {
    if (a.m_shared == b.m_shared) return true;
    if (!(a.box() == b.box()) || a.count() != b.count()) return false;
    for (int p = 0; p < a.count(); ++p) {
      if (a.apart(b.exec(p), p)) return false;
    }
    return true;
  }
  /// "IxJxK in 2 parts"
  friend std::string to_string(const GridOnDevices& grid) {
    return to_string(grid.box()) + " in " + std::to_string(grid.count()) + (grid.count() == 1 ? " part" : " parts");
  }

 private:
  struct Shared {
    Shared(const std::vector<Exec>& given, const Grid& whole) : instances(given), box(whole) {}
    std::vector<Exec> instances;
    Grid box;
    // Of each part, and of an instance for all.
    std::vector<std::unique_ptr<cuda::Event>> done;
    std::unique_ptr<cuda::Event> begun;
  };

  void check() const {
    require(count() > 0, "GridOnDevices: there is no execution space instance");
    if (count() > box().nk()) {
      fail("GridOnDevices: " + std::to_string(count()) + " parts of " + std::to_string(box().nk()) +
           " layers are not possible: k of a grid of " + to_string(box()) + " points has to be a longer axis");
    }
    for (int p = 0; p < count(); ++p) {
      for (int other = 0; other < p; ++other) {
        if (apart(exec(other), p)) continue;
        fail("GridOnDevices: parts " + std::to_string(other) + " and " + std::to_string(p) +
             " are on one stream, and wait for one another");
      }
    }
  }

  /// Whether an instance is not that of part p.
  bool apart(const Exec& other, int p) const {
    // Handles of default streams are the same on all devices.
    return other.cuda_stream() != exec(p).cuda_stream() || other.cuda_device() != exec(p).cuda_device();
  }

  /// What comes on `exec` waits for all parts.
  void gather(const Exec& exec) const {
    for_parts([&](int p) {
      if (apart(exec, p)) m_shared->done[detail::as_size(p)]->record(this->exec(p).cuda_stream());
    });
    cuda::CurrentDevice const current(exec.cuda_device());
    for (int p = 0; p < count(); ++p) {
      if (apart(exec, p)) m_shared->done[detail::as_size(p)]->wait(exec.cuda_stream());
    }
  }

  std::shared_ptr<Shared> m_shared;
};

namespace detail {

/// Throws Error, which names the function and the argument, where the argument is on another grid than expected.
template <class Exec>
void check_grid_on_devices(const char* function, const char* argument, const GridOnDevices<Exec>& grid,
                           const GridOnDevices<Exec>& expected) {
  if (!(grid == expected)) {
    fail(std::string(function) + ": " + argument + " is on " + to_string(grid) + ", expected " + to_string(expected) +
         " with the same instances");
  }
}

}  // namespace detail

}  // namespace hyperplane::inline HYPERPLANE_ABI
