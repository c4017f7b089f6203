// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_plan.hpp>
#include <hyperplane/sweep/factor_units.hpp>
#include <hyperplane/sweep/part_window_cuda.hpp>
#include <hyperplane/sweep/sweep_bytes.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The memory in which the parts of a box meet, see BlockIlu0Part: that of this part, and as this device sees it that
/// of the part below (lower k) and of the part above; null where there is none.
struct PartWindows {
  std::byte* own = nullptr;
  std::byte* below = nullptr;
  std::byte* above = nullptr;
};

namespace detail {

/// What a device has of the sweeps over a box that is cut along k, as TriangularSweeps are those of a box on one
/// device: the factors of its part, what is singular in it, and the sweeps, which go on on the devices of the parts
/// below and above. A preconditioner fills it.
///
/// Copies share all of it.
template <Real Scalar, int n, CudaExecutionSpace Exec, StorageReal Storage>
class PartSweeps {
 public:
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  using Map = SlabMap<vector_length>;
  using Vector = BlockVector<Scalar, n, Exec>;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Window = CudaPartWindow<Scalar, n, Storage, vector_length>;

  static std::string lacking() { return Solve::lacking(); }

  /// `owner` is whose it is, such as "BlockIlu0Part". Throws Error where the device lacks something, and where a window
  /// is missing that a neighbour needs.
  PartSweeps(const Exec& exec, const std::string& owner, const Grid& part, const PartWindows& windows,
             int multiprocessors)
      : m_solve_name(owner + "::solve"),
        m_transposed_name(owner + "::solve_transposed"),
        m_map(part),
        m_lower(exec, "Hyperplane::" + owner + "::lower", m_map.pack_count()),
        m_upper(exec, "Hyperplane::" + owner + "::upper", m_map.pack_count()),
        m_units(exec, owner, m_map.pack_count()),
        m_singular(exec, "Hyperplane::" + owner + "::status") {
    require(windows.own != nullptr || (windows.below == nullptr && windows.above == nullptr),
            owner + ": there is no window for what neighbours send");
    if (multiprocessors < 0) fail(owner + ": " + std::to_string(multiprocessors) + " multiprocessors are not possible");
    require(cuda::current_device() == exec.cuda_device(),
            owner + ": the current CUDA device is not that of the execution space instance");
    if (auto const missing = lacking(); !missing.empty()) fail(owner + ": path slab " + missing);
    m_solve = std::make_shared<Solve>(exec.cuda_stream(), m_map, multiprocessors, 1, packets(windows, m_map));
  }

  const Grid& grid() const { return m_map.grid(); }
  const Map& map() const { return m_map; }
  Factors factors() const { return Factors{m_map, m_lower.ref(), m_upper.ref(), m_units.ref()}; }
  const SingularPivotRecord<Exec>& singular() const { return m_singular; }
  const FactorUnits<Storage, n, vector_length, Exec>& units() const { return m_units; }

  /// fill() writes the factors. Where it throws there are none.
  template <class Fill>
  void fill(const Fill& fill) {
    m_filled = false;
    fill();
    m_filled = true;
  }

  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check(m_solve_name, rhs, x);
    cuda::labelled(exec, solve_label(Sweeps::both), [&] { launch(exec, rhs, x); });
  }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check(m_transposed_name, rhs, x);
    cuda::labelled(exec, transposed_label(Sweeps::both), [&] { launch_transposed(exec, rhs, x); });
  }

  /// The same without telling tools of it, and without looking at what is given.
  void launch(const Exec& exec, const Vector& rhs, const Vector& x) const {
    using Ref = typename Vector::Ref;
    count_sweep_bytes<Scalar, n, Factors>(Sweeps::both, true, points());
    (*m_solve)(exec.cuda_stream(), Sweeps::both, factors(), VectorRefs<Ref, 1>{{rhs.ref()}},
               VectorRefs<Ref, 1>{{x.ref()}});
  }
  /// What the first launch with M^T does besides. While kernels of other parts wait for this one nothing may be loaded
  /// or fail.
  void prepare_transposed(const Exec& exec) const {
    cuda::CurrentDevice const current(exec.cuda_device());
    m_solve->prepare_transposed(exec.cuda_stream());
  }
  void launch_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    count_sweep_bytes<Scalar, n, Factors>(Sweeps::both, true, points(), 1, true);
    m_solve->solve_transposed(exec.cuda_stream(), Sweeps::both, factors(), rhs.ref(), x.ref());
  }

 private:
  using Solve = CudaSlabBlockSolve<Scalar, n, Storage, vector_length, true>;

  static CudaPartPackets<typename Window::Packet> packets(const PartWindows& windows, const Map& map) {
    return {Window(windows.own, map).packets(), Window(windows.below, map).packets(),
            Window(windows.above, map).packets()};
  }
  void check(const std::string& function, const Vector& rhs, const Vector& x) const {
    check_grid(function.c_str(), "the right-hand side", rhs.grid(), grid());
    check_grid(function.c_str(), "x", x.grid(), grid());
    if (!m_filled) fail(function + ": called before factor");
  }
  double points() const { return static_cast<double>(grid().size()); }

  std::string m_solve_name;
  std::string m_transposed_name;
  Map m_map;
  InterleavedView<Storage, vector_length, lower_blocks * n * n, Exec> m_lower;
  InterleavedView<Storage, vector_length, upper_blocks * n * n, Exec> m_upper;
  FactorUnits<Storage, n, vector_length, Exec> m_units;
  SingularPivotRecord<Exec> m_singular;
  std::shared_ptr<Solve> m_solve;
  bool m_filled = false;
};

/// What a CUDA device has of a preconditioner of a box that is cut along k, as BlockIlu0Part, which says how parts meet
/// and in which order they are called. Besides, it has factor(exec, a) of matrices of all types, unless its factors are
/// in units of the whole box.
template <class Part>
concept PartOfBox = std::constructible_from<Part, const typename Part::execution_space&, const Grid&,
                                            const PartWindows&, const typename Part::Options&> &&
                    requires(const Part& part, const typename Part::execution_space& exec,
                             const typename Part::Vector& vector, const Grid& grid) {
                      { Part::lacking() } -> std::same_as<std::string>;
                      { Part::window_bytes(grid) } -> std::same_as<std::size_t>;
                      part.template check_factor<typename Part::scalar_type>();
                      part.solve(exec, vector, vector);
                      part.prepare_transposed(exec);
                      part.solve_transposed(exec, vector, vector);
                      { part.status(exec) } -> std::same_as<FactorStatus>;
                    };

}  // namespace detail

}  // namespace hyperplane::inline HYPERPLANE_ABI
