// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/detail/box_on_devices.hpp>
#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/blocks/detail/part_by_colours.hpp>
#include <hyperplane/blocks/detail/spread_colours.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_grid_on_devices.hpp>
#include <hyperplane/blocks/multi_block_stencil7_on_devices.hpp>
#include <hyperplane/blocks/multi_block_vector_on_devices.hpp>
#include <hyperplane/blocks/natural_order.hpp>
#include <hyperplane/blocks/spread_slots.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/ordered_instances.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/blocks/detail/box_on_devices_cuda.hpp>
#endif

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A preconditioner of grid blocks over devices, made of one for each grid block: a MultiBlock<P> over all of them,
/// with its M and its bits, whichever device has which grid block.
///
/// Coupling::none leaves couplings across interfaces out: devices work each by itself. Coupling::coloured goes through
/// the colours, which all devices begin together: so give each of them grid blocks of all colours. What is subtracted
/// for neighbours on other devices is read where it is: n values for each pair of points. Coupling::natural goes
/// through the colours of find_natural_order(), and where MultiBlock has the bits of the box it has them as well, with
/// M^T where grid blocks take the path that the box takes: what MultiBlock does on SweepPath::slab of hosts, and
/// elsewhere on grid blocks with ghost points, whether or not they fill the box. Where grid blocks are the parts of a
/// box that is cut along k, and each device has some that follow one another, BlockIlu0 and Ssor on CUDA go through the
/// devices instead, see goes_through_devices().
///
/// A plan, as MultiBlock is: the constructor allocates, for each grid block on its device; the other functions do not,
/// and are asynchronous on the given instance, see MultiBlockGridOnDevices. Launches are those of a MultiBlock on each
/// device, and with couplings two more for each colour of a factorization, which bring coefficients that other devices
/// have: n^2 values for each pair of points across an interface between devices, and once more for M^T. Memory beside
/// that of MultiBlock: for each such pair, n^2 values and 8 bytes on both devices, and 40 bytes more on that of the
/// higher colour. With natural and ghost points launches are those of MultiBlock on grid blocks that do not fill a box,
/// with one more in a factorization, for M^T; factors, A and a vector are larger by the ghost points, which take 16
/// bytes more each. A, and copies of a plan: see MultiBlock.
template <class P>
class MultiBlockOnDevices {
 public:
  using scalar_type = typename P::Vector::scalar_type;
  using execution_space = typename P::Vector::execution_space;
  static constexpr int block_size = P::Vector::block_size;
  using Options = typename MultiBlock<P>::Options;
  using Vector = MultiBlockVectorOnDevices<scalar_type, block_size, execution_space>;
  using Status = typename MultiBlock<P>::Status;

  /// Whether it has this coupling.
  static constexpr bool has_coupling(Coupling coupling) { return MultiBlock<P>::has_coupling(coupling); }

  /// Colours are those of all grid blocks. Throws Error where the preconditioner has no such coupling, and where
  /// MultiBlock does.
  explicit MultiBlockOnDevices(const MultiBlockGridOnDevices<execution_space>& grid, const Options& options = {})
      : m_grid(grid),
        m_coupling(options.coupling),
        m_colours(MultiBlock<P>::checked_colours(grid.whole(), options)),
        m_box(made_box(options)) {
    if (m_box) return;
    if constexpr (by_colours) {
      make_by_colours(options);
    } else {
      grid.for_parts([&](int p) { m_parts.emplace_back(grid.exec(p), grid.part(p), options); });
    }
  }

  const MultiBlockGridOnDevices<execution_space>& grid() const { return m_grid; }
  Coupling coupling() const { return m_coupling; }
  /// Those of all grid blocks; empty with Coupling::none.
  const std::vector<int>& colours() const { return m_colours; }

  /// Whether sweeps are those of the box, by BlockIlu0Part or SsorPart: kernels go on from device to device, all
  /// devices work at once, and a factorization (of BlockIlu0 with one more for what crosses to the next part) and a
  /// solve are one launch for each of them, and one more for status().
  /// Bits are those of the box; with M^T those of SweepPath::slab for n > 1. Where parts have several grid blocks, each
  /// has a copy of A and of a vector, a factorization one launch more and a solve two. It is so where devices can, see
  /// BlockIlu0OnDevices; parts that share a device have to leave multiprocessors for one another (BlockIlu0Options). A
  /// launch that fails may then leave kernels of other devices waiting: end the program, without destroying the plan.
  /// Kernels that wait occupy their device. So of two such plans on the same devices one may begin when the other has
  /// ended: give their grids the same instances, or order them by events. Paths `portable` and `cuda_graph` have no
  /// such kernels.
  bool goes_through_devices() const { return m_box != nullptr; }

  /// Computes the factors of A. Throws Error where A is on another grid.
  template <class MatrixStorage>
  void factor(const execution_space& exec,
              const MultiBlockStencil7OnDevices<scalar_type, block_size, execution_space, MatrixStorage>& a) {
    detail::check_grid_on_devices("MultiBlockOnDevices::factor", "A", a.grid(), m_grid);
    m_factored = false;
    factor_parts(exec, a);
    m_factored = true;
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    check_solve("MultiBlockOnDevices::solve", rhs, x);
    if constexpr (Box::exists) {
      if (m_box) return m_box->solve(exec, rhs, x);
    }
    if constexpr (by_colours) {
      up_and_down(
          exec, [&](int p, int c) { part(p).solve_upwards(m_grid.exec(p), c, rhs.part(p), x.part(p)); },
          [&](int p, int c) { part(p).solve_downwards(m_grid.exec(p), c, x.part(p)); });
    } else {
      m_grid.run(exec, [&](int p) { part(p).solve(m_grid.exec(p), rhs.part(p), x.part(p)); });
    }
  }

  /// x = M^-T rhs, of a P that has it, from the same factors; x may be rhs. Throws Error as solve() does.
  void solve_transposed(const execution_space& exec, const Vector& rhs, const Vector& x) const
    requires requires(const P& plan, const typename P::Vector& v) { plan.solve_transposed(exec, v, v); }
  {
    check_solve("MultiBlockOnDevices::solve_transposed", rhs, x);
    if constexpr (Box::exists) {
      if (m_box) return m_box->solve_transposed(exec, rhs, x);
    }
    if constexpr (by_colours) {
      up_and_down(
          exec, [&](int p, int c) { part(p).solve_transposed_upwards(m_grid.exec(p), c, rhs.part(p), x.part(p)); },
          [&](int p, int c) { part(p).solve_transposed_downwards(m_grid.exec(p), c, x.part(p)); });
    } else {
      m_grid.run(exec, [&](int p) { part(p).solve_transposed(m_grid.exec(p), rhs.part(p), x.part(p)); });
    }
  }

  /// Whether the last factor() failed, where, and why: the first failure in the order of the factorization, with the
  /// number of its grid block in the whole grid. Waits for all instances.
  Status status() const {
    if constexpr (Box::exists) {
      if (m_box) return m_box->status();
    }
    Status first;
    std::int64_t place = 0;
    m_grid.for_parts([&](int p) {
      auto found = first_failure(p);
      if (found.status.ok()) return;
      found.status.grid_block = m_grid.blocks(p)[detail::as_size(found.status.grid_block)];
      bool const is_before =
          found.place < place || (found.place == place && found.status.grid_block < first.grid_block);
      if (!first.ok() && !is_before) return;
      first = found.status;
      place = found.place;
    });
    return first;
  }

 private:
  /// Others have a MultiBlock for each part, whose grid blocks are not coupled.
  static constexpr bool by_colours = MultiBlock<P>::can_be_coloured;
  using Part = std::conditional_t<by_colours, detail::PartByColours<P>, MultiBlock<P>>;
  using Box = detail::BoxOnDevices<P>;

  /// Null where no kernels go through devices.
  std::shared_ptr<Box> made_box([[maybe_unused]] const Options& options) const {
    if constexpr (Box::exists) {
      if (m_coupling == Coupling::natural) return Box::make(m_grid, options.block);
    }
    return nullptr;
  }

  void check_solve(const char* function, const Vector& rhs, const Vector& x) const {
    detail::check_grid_on_devices(function, "the right-hand side", rhs.grid(), m_grid);
    detail::check_grid_on_devices(function, "x", x.grid(), m_grid);
    if (!m_factored) fail(std::string(function) + ": called before factor");
  }

  Part& part(int p) { return m_parts[detail::as_size(p)]; }
  const Part& part(int p) const { return m_parts[detail::as_size(p)]; }

  auto first_failure(int p) const {
    if constexpr (by_colours) {
      return part(p).template first_failure<Status>(m_grid.exec(p));
    } else {
      return part(p).first_failure(m_grid.exec(p));
    }
  }

  /// Colours upwards by up(p, colour), then downwards from the last but one by down(p, colour).
  template <class Up, class Down>
  void up_and_down(const execution_space& exec, const Up& up, const Down& down) const {
    int const last = part(0).colours() - 1;
    m_grid.instances().run_steps(exec, 2 * last + 1,
                                 [&](int step, int p) { step <= last ? up(p, step) : down(p, 2 * last - step); });
  }

  void make_by_colours(const Options& options)
    requires(by_colours)
  {
    if (m_coupling == Coupling::none) {
      m_grid.for_parts([&](int p) {
        m_parts.emplace_back(m_grid.exec(p), m_grid.part(p), options, detail::Colouring({}), false, std::nullopt);
      });
      return;
    }
    detail::Colouring const all(m_colours);
    bool const is_natural = m_coupling == Coupling::natural && detail::rises_along_axes(m_grid.whole(), all.ranks);
    if (m_grid.count() == 1) {
      m_grid.for_parts(
          [&](int p) { m_parts.emplace_back(m_grid.exec(p), m_grid.part(p), options, all, is_natural, std::nullopt); });
      return;
    }
    constexpr int W = Vector::vector_length;
    detail::SpreadSlots<W> const slots(m_grid.whole(), m_grid.owners(),
                                       detail::spread_layout<scalar_type, block_size>(m_grid));
    detail::SpreadColours<W> spread(slots, all.ranks, m_grid.count());
    m_grid.for_parts([&](int p) {
      std::vector<int> own;
      for (int const b : m_grid.blocks(p)) own.push_back(all.ranks[detail::as_size(b)]);
      m_parts.emplace_back(m_grid.exec(p), m_grid.part(p), options, detail::Colouring(own, all.count), is_natural,
                           std::optional(std::move(spread.part(p).lists)));
    });
    m_grid.for_parts(
        [&](int p) { part(p).connect(m_grid.exec(p), m_parts, p, slots, spread.part(p).upper, spread.part(p).lower); });
    for (auto& part : m_parts) part.forget_lists();
  }

  template <class Matrix>
  void factor_parts(const execution_space& exec, const Matrix& a) {
    if constexpr (Box::exists) {
      if (m_box) return m_box->factor(exec, a);
    }
    if constexpr (by_colours) {
      factor_by_colours(exec, a);
    } else {
      m_grid.run(exec, [&](int p) { part(p).factor(m_grid.exec(p), a.part(p)); });
    }
  }

  template <class Matrix>
  void factor_by_colours(const execution_space& exec, const Matrix& a) {
    int const count = part(0).colours();
    try {
      m_grid.instances().run_steps(exec, count + 1, [&](int step, int p) {
        if (step == count) return part(p).finish_factor(m_grid.exec(p));
        part(p).factor(m_grid.exec(p), a.part(p), step);
      });
    } catch (...) {
      detail::after_error([&] {
        m_grid.run(exec,
                   [&](int p) { detail::after_error([&] { part(p).abandon_factor(m_grid.exec(p), a.part(p)); }); });
      });
      throw;
    }
  }

  MultiBlockGridOnDevices<execution_space> m_grid;
  Coupling m_coupling;
  std::vector<int> m_colours;
  std::shared_ptr<Box> m_box;
  std::vector<Part> m_parts;  ///< where there is no such box
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
