// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/ordered_instances_cuda.hpp>

#include <Kokkos_Core.hpp>

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
      : m_instances("GridOnDevices", instances), m_box(box) {
    if (count() <= box.nk()) return;
    fail("GridOnDevices: " + std::to_string(count()) + " parts of " + std::to_string(box.nk()) +
         " layers are not possible: k of a grid of " + to_string(box) + " points has to be a longer axis");
  }

  const Grid& box() const { return m_box; }
  /// Number of parts.
  int count() const { return m_instances.count(); }
  /// Layers first_layer(p) to first_layer(p + 1) of the box.
  Grid part(int p) const { return {box().ni(), box().nj(), first_layer(p + 1) - first_layer(p)}; }
  int first_layer(int p) const { return first_layer(box(), p, count()); }
  static int first_layer(const Grid& box, int p, int count) {
    return static_cast<int>(static_cast<long long>(box.nk()) * p / count);
  }
  const Exec& exec(int p) const { return m_instances.exec(p); }
  const detail::OrderedInstances<Exec>& instances() const { return m_instances; }

  /// launch(p) with the device of part p as the current one, for each part.
  template <class Launch>
  void for_parts(const Launch& launch) const {
    m_instances.for_parts(launch);
  }

  /// The same, where launches come after all that is on `exec` and the instances of the parts, and before what is
  /// launched on `exec` later. Nobody waits on the host.
  template <class Launch>
  void run(const Exec& exec, const Launch& launch) const {
    m_instances.run(exec, launch);
  }

  /// As run(), for what launches on the instances of the parts by itself.
  template <class Launches>
  void in_order(const Exec& exec, const Launches& launches) const {
    m_instances.in_order(exec, launches);
  }

  friend bool operator==(const GridOnDevices& a, const GridOnDevices& b) {
    return a.box() == b.box() && a.m_instances == b.m_instances;
  }
  /// "IxJxK in 2 parts"
  friend std::string to_string(const GridOnDevices& grid) {
    return to_string(grid.box()) + " in " + std::to_string(grid.count()) + (grid.count() == 1 ? " part" : " parts");
  }

 private:
  detail::OrderedInstances<Exec> m_instances;
  Grid m_box;
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
