// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/assign_blocks.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/owned_blocks.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/ordered_instances.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/grid/ordered_instances_cuda.hpp>
#endif

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Grid blocks and interfaces over several CUDA devices of one process. Each device has a part of them: some grid
/// blocks, or none, and an instance on the device. Parts may share a device, to try things out; on other execution
/// spaces all of them share the one memory.
///
/// What works on all parts takes an instance of its own, `exec`, on the device of the lowest part: it comes after what
/// has been launched on that instance and on those of the parts, and before what is launched on that instance later,
/// also where a launch throws. So a caller sees one instance, as with one device. Between CUDA devices that is done by
/// events, elsewhere by fences. Where a device is lost, the grid is of no more use.
///
/// Grid blocks are numbered as in the whole grid, everywhere but in part(p). A shared handle. One thread at a time
/// works on a grid and its copies.
template <ExecutionSpace Exec>
class MultiBlockGridOnDevices {
 public:
  using execution_space = Exec;

  /// An instance for each part, on CUDA each on a stream of its own, and for each grid block the number of its part.
  /// Throws Error where there is no instance, where there is not a part for each grid block, which then is named, and
  /// where devices have no access to one another's memory.
  MultiBlockGridOnDevices(const std::vector<Exec>& instances, const MultiBlockGrid& whole, std::vector<int> owners)
      : MultiBlockGridOnDevices(Instances(name, instances), whole, std::move(owners)) {}
  /// With the owners of assign_blocks(): grid blocks that follow one another, and about as many points on each device.
  MultiBlockGridOnDevices(const std::vector<Exec>& instances, const MultiBlockGrid& whole)
      : MultiBlockGridOnDevices(Instances(name, instances), whole, std::nullopt) {}

  /// All grid blocks and interfaces.
  const MultiBlockGrid& whole() const { return m_shared->whole; }
  /// Number of parts.
  int count() const { return m_instances.count(); }
  /// The grid blocks of a part and the interfaces between them, numbered on their own; without grid blocks where it has
  /// none.
  const MultiBlockGrid& part(int p) const { return m_shared->parts[detail::as_size(p)].grid(); }
  /// Entry l is number l of part(p).
  std::span<const int> blocks(int p) const& { return m_shared->parts[detail::as_size(p)].numbers(); }
  std::span<const int> blocks(int p) const&& = delete;
  /// The part that has a grid block.
  int owner(int number) const {
    if (number < 0 || number >= whole().block_count()) {
      fail(std::string(name) + ": there is no grid block " + std::to_string(number) + " in " + to_string(whole()));
    }
    return m_shared->owners[detail::as_size(number)];
  }
  const std::vector<int>& owners() const { return m_shared->owners; }
  /// The number that a grid block has in its part.
  int place(int number) const { return m_shared->parts[detail::as_size(owner(number))].place(number); }

  const Exec& exec(int p) const { return m_instances.exec(p); }
  const detail::OrderedInstances<Exec>& instances() const { return m_instances; }

  /// launch(p) for each part, with its device as the current one.
  template <class Launch>
  void for_parts(const Launch& launch) const {
    m_instances.for_parts(launch);
  }
  /// The same, where launches come after all that is on `exec` and the instances of the parts, and before what is
  /// launched on `exec` later, also where a launch throws. Between CUDA devices nobody waits on the host.
  template <class Launch>
  void run(const Exec& exec, const Launch& launch) const {
    m_instances.run(exec, launch);
  }

  friend bool operator==(const MultiBlockGridOnDevices& a, const MultiBlockGridOnDevices& b) {
    return a.m_instances == b.m_instances &&
           (a.m_shared == b.m_shared || (a.whole() == b.whole() && a.owners() == b.owners()));
  }
  /// "3 grid blocks (8x6x4, 8x6x4, 5x5x5) in 2 parts"
  friend std::string to_string(const MultiBlockGridOnDevices& grid) {
    return to_string(grid.whole()) + " in " + std::to_string(grid.count()) + (grid.count() == 1 ? " part" : " parts");
  }

 private:
  using Instances = detail::OrderedInstances<Exec>;
  static constexpr const char* name = "MultiBlockGridOnDevices";

  struct Shared {
    MultiBlockGrid whole;
    std::vector<int> owners;
    std::vector<detail::OwnedBlocks> parts{};
  };

  MultiBlockGridOnDevices(const Instances& instances, const MultiBlockGrid& whole,
                          std::optional<std::vector<int>> owners)
      : m_instances(instances) {
    if (!owners) owners = assign_blocks(whole, count());
    detail::check_owners(name, "part", whole, *owners, count());
    Shared shared{whole, std::move(*owners)};
    for (int p = 0; p < count(); ++p) shared.parts.emplace_back(whole, shared.owners, p);
    m_shared = std::make_shared<const Shared>(std::move(shared));
  }

  Instances m_instances;
  std::shared_ptr<const Shared> m_shared;
};

namespace detail {

/// Throws Error, which names the function and the argument, where the argument is on another grid than expected.
template <class Exec>
void check_grid_on_devices(const char* function, const char* argument, const MultiBlockGridOnDevices<Exec>& grid,
                           const MultiBlockGridOnDevices<Exec>& expected) {
  if (!(grid == expected)) {
    fail(std::string(function) + ": " + argument + " is on " + to_string(grid) + ", expected " + to_string(expected) +
         " with the same interfaces, owners and instances");
  }
}

}  // namespace detail

}  // namespace hyperplane::inline HYPERPLANE_ABI
