// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/sweep/part_sweeps_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime_api.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The parts of a box on devices of one process, from the lowest on, such as BlockIlu0Part, and the windows in which
/// they meet. Calls launch the kernels of all parts, each on its instance, one device after the other: whoever calls
/// orders them by events, and has looked at what is given.
template <class Part_>
class PartsOnDevices {
  static_assert(PartOfBox<Part_>);

 public:
  using Part = Part_;
  using execution_space = typename Part::execution_space;
  using Options = typename Part::Options;
  static constexpr const char* plan_name = Part::plan_name;

  /// What parts on these devices lack, in words; empty where they can run. Parts that share a device wait for one
  /// another on it.
  static std::string lacking(const std::vector<execution_space>& instances, const Options& options) {
    for (auto const& each : instances) {
      cuda::CurrentDevice const current(each.cuda_device());
      int sharing = 0;
      for (auto const& other : instances) sharing += other.cuda_device() == each.cuda_device();
      if (sharing > 1 &&
          (options.multiprocessors == 0 || options.multiprocessors > cuda::multiprocessor_count() / sharing)) {
        return std::to_string(sharing) + " parts on CUDA device " + std::to_string(each.cuda_device()) +
               " wait for one another: option multiprocessors is " + std::to_string(options.multiprocessors) +
               ", and has to be 1 to " + std::to_string(cuda::multiprocessor_count() / sharing) + " there";
      }
      if (auto const missing = Part::lacking(); !missing.empty()) return "path slab " + missing;
    }
    return {};
  }

  /// An instance and a grid for each part. Throws Error where devices cannot run it.
  PartsOnDevices(const std::vector<execution_space>& instances, const std::vector<Grid>& grids, const Options& options)
      : m_instances(instances) {
    if (auto const missing = lacking(instances, options); !missing.empty()) {
      fail(std::string(plan_name) + ": " + missing);
    }
    for_parts([&](int p) { m_windows.emplace_back(exec(p).cuda_stream(), Part::window_bytes(grids[as_size(p)])); });
    for_parts([&](int p) {
      m_parts.emplace_back(exec(p), grids[as_size(p)], PartWindows{window(p), window(p - 1), window(p + 1)}, options);
    });
  }
  /// Waits for all devices: kernels of one may write into the window of another.
  ~PartsOnDevices() {
    for (auto const& instance : m_instances) cudaStreamSynchronize(instance.cuda_stream());
  }
  PartsOnDevices(const PartsOnDevices&) = delete;
  PartsOnDevices& operator=(const PartsOnDevices&) = delete;

  int count() const { return static_cast<int>(m_instances.size()); }
  const execution_space& exec(int p) const { return m_instances[as_size(p)]; }
  /// launch(p) for each part, with its device as the current one.
  template <class Launch>
  void for_parts(const Launch& launch) const {
    for (int p = 0; p < count(); ++p) {
      cuda::CurrentDevice const current(exec(p).cuda_device());
      launch(p);
    }
  }
  auto& units(int p) const { return part(p).sweeps().units(); }

  /// Throws Error where a device cannot factor matrices of this type.
  template <class MatrixStorage>
  void check_factor() const {
    for (auto const& part : m_parts) part.template check_factor<MatrixStorage>();
  }
  /// The factors of a(p), the rows of part p, after check_factor().
  template <class MatrixOf>
  void factor(const MatrixOf& a) const {
    auto const launch = [&] { for_parts([&](int p) { part(p).launch_factor(exec(p), a(p)); }); };
    if constexpr (Part::factor_label != nullptr) {
      // A tool may have the host wait after each kernel that it is told of, so it is told of all as one: kernels of a
      // part wait for those of others.
      cuda::labelled(exec(0), Part::factor_label, launch);
    } else {
      launch();
    }
    for_parts([&](int p) { part(p).conclude_factor(exec(p), a(p)); });
  }

  /// x(p) = M^-1 rhs(p), of all parts, after factor().
  template <class RhsOf, class XOf>
  void solve(const RhsOf& rhs, const XOf& x) const {
    run(solve_label(Sweeps::both), [&](int p) { part(p).sweeps().launch(exec(p), rhs(p), x(p)); });
  }
  /// What the first solve_transposed() does besides, and what may fail: before kernels wait for one another.
  void prepare_transposed() const {
    for_parts([&](int p) { part(p).prepare_transposed(exec(p)); });
  }
  template <class RhsOf, class XOf>
  void solve_transposed(const RhsOf& rhs, const XOf& x) const {
    run(transposed_label(Sweeps::both), [&](int p) { part(p).sweeps().launch_transposed(exec(p), rhs(p), x(p)); });
  }

  /// Whether the last factor() failed in a part, where in it, and why. Waits for its instance.
  FactorStatus status(int p) const { return part(p).status(exec(p)); }

 private:
  const Part& part(int p) const { return m_parts[as_size(p)]; }
  std::byte* window(int p) const { return p < 0 || p >= count() ? nullptr : m_windows[as_size(p)].data(); }

  template <class Launch>
  void run(const char* label, const Launch& launch) const {
    cuda::labelled(exec(0), label, [&] { for_parts(launch); });
  }

  std::vector<execution_space> m_instances;
  std::vector<cuda::DeviceArray<std::byte>> m_windows;
  std::vector<Part> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
