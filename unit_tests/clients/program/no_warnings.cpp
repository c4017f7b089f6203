// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <hyperplane/hyperplane.hpp>
#include <type_traits>
#include <vector>

// A client with more warnings than most, who finds the headers by a plain include path: what templates warn of, they
// warn of here.
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using hyperplane::Grid;

/// With products of a copy in float.
template <class Method, class Matrix, class Preconditioner, class Vector, class Domain>
void solve_narrowed(const Exec& exec, const Domain& domain, const Matrix& a, const Preconditioner& m, const Vector& b,
                    const Vector& x) {
  if constexpr (std::is_same_v<typename Matrix::scalar_type, double>) {
    auto const copy = hyperplane::narrowed<float>(exec, a);
    hyperplane::narrow(exec, a, copy);
    Method(exec, domain).solve(exec, hyperplane::NarrowedMatrix(a, copy), m, b, x);
  }
}

template <class Scalar, int n, class Preconditioner>
void solve(const Exec& exec, const Grid& grid, Preconditioner&& preconditioner) {
  using Vector = hyperplane::BlockVector<Scalar, n, Exec>;
  hyperplane::BlockStencil7<Scalar, n, Exec> const a(exec, grid);
  Vector const b(exec, grid);
  Vector const x(exec, grid);
  preconditioner.factor(exec, a);
  if (!preconditioner.status(exec).ok()) return;
  hyperplane::BiCgStab<Vector>(exec, grid, {.tolerance = 1e-6}).solve(exec, a, preconditioner, b, x);
  hyperplane::Fgmres<Vector>(exec, grid).solve(exec, a, preconditioner, b, x);
  hyperplane::Fgcrodr<Vector>(exec, grid).solve(exec, a, preconditioner, b, x);
  hyperplane::Richardson<Vector>(exec, grid).solve(exec, a, preconditioner, b, x);
  solve_narrowed<hyperplane::BiCgStab<Vector>>(exec, grid, a, preconditioner, b, x);
  if constexpr (requires { preconditioner.solve_transposed(exec, b, x); }) {
    preconditioner.solve_transposed(exec, b, x);
  }
  hyperplane::residual(exec, a, b, x, b);
  hyperplane::residual(exec, hyperplane::transposed(a), b, x, b);
  if constexpr (requires { preconditioner.solve_transposed(exec, b, x); }) {
    preconditioner.solve_transposed(exec, b, x);
  }
}

template <class Scalar, int n, class Storage>
void solve_blocks(const Exec& exec) {
  Grid const grid(5, 4, 3);
  solve<Scalar, n>(exec, grid, hyperplane::BlockIlu0<Scalar, n, Exec, Storage>(exec, grid));
  solve<Scalar, n>(exec, grid, hyperplane::BlockJacobi<Scalar, n, Exec, Storage>(exec, grid));
  solve<Scalar, n>(exec, grid, hyperplane::Ssor<Scalar, n, Exec, Storage>(exec, grid));
  using hyperplane::LineImplicit, hyperplane::LineJacobi;
  solve<Scalar, n>(exec, grid, LineImplicit<Scalar, n, Exec>(exec, grid));
  solve<Scalar, n>(exec, grid, LineImplicit<Scalar, n, Exec, Scalar, LineJacobi<Scalar, n, Exec, Storage>>(exec, grid));

  hyperplane::BlockVector<Scalar, n, Exec> const x(exec, grid);
  hyperplane::BlockStencil7<Scalar, n, Exec> const a(exec, grid);
  Kokkos::View<Scalar****, Exec> const values("values", 4, 3, 3, n);
  Kokkos::View<Scalar******, Exec> const blocks("blocks", 5, 4, 3, 7, n, n);
  hyperplane::pack(exec, values, x, {.axes = hyperplane::AxisOrder::kji, .ghost_layers = {0, 0, 1}});
  hyperplane::unpack(exec, x, values, {.axes = hyperplane::AxisOrder::kji});
  hyperplane::pack(exec, blocks, a, {.axes = hyperplane::AxisOrder::ijk});
  hyperplane::unpack(exec, a, blocks, {.axes = hyperplane::AxisOrder::ijk});
  Kokkos::View<Scalar*, Exec> const rows("rows", static_cast<std::size_t>(grid.size() * n));
  hyperplane::unpack(exec, x, rows, hyperplane::RedBlackOrder(grid));
  hyperplane::pack(exec, rows, x, hyperplane::HyperplaneMap(grid));
  Kokkos::View<std::int8_t*, Exec> const mask("mask", static_cast<std::size_t>(grid.size()));
  hyperplane::mask_points(exec, mask, a);
  hyperplane::mask_points(exec, mask, a, {true, false, false});
  hyperplane::mask_points(exec, mask, x);
}

template <class Scalar, int n>
void solve_grid_blocks(const Exec& exec) {
  using hyperplane::Direction;
  hyperplane::MultiBlockGrid const grid(
      {Grid(6, 4, 3), Grid(5, 4, 3)},
      {{.block = 0, .face = Direction::east, .points = {{5, 0, 0}, {6, 4, 3}}, .donor = 1}});
  hyperplane::MultiBlockStencil7<Scalar, n, Exec> const a(exec, grid);
  hyperplane::MultiBlockVector<Scalar, n, Exec> const b(exec, grid), x(exec, grid);
  using Ilu = hyperplane::MultiBlock<hyperplane::BlockIlu0<Scalar, n, Exec>>;
  Ilu preconditioner(exec, grid, {.coupling = hyperplane::Coupling::coloured});
  Kokkos::View<std::int8_t*, Exec> const mask("mask", static_cast<std::size_t>(grid.size()));
  hyperplane::apply_transposed(exec, a, b, x);
  hyperplane::mask_points(exec, mask, a);
  hyperplane::mask_points(exec, mask, b);
  preconditioner.factor(exec, a);
  if (!preconditioner.status(exec).ok()) return;
  using Vector = hyperplane::MultiBlockVector<Scalar, n, Exec>;
  hyperplane::BiCgStab<Vector>(exec, grid, {.tolerance = 1e-6}).solve(exec, a, preconditioner, b, x);
  solve_narrowed<hyperplane::Fgmres<Vector>>(exec, grid, a, preconditioner, b, x);
  hyperplane::residual(exec, a, b, x, b);
  hyperplane::MultiBlock<hyperplane::Ssor<Scalar, n, Exec>> ssor(exec, grid,
                                                                 {.coupling = hyperplane::Coupling::natural});
  ssor.factor(exec, a);
  ssor.solve(exec, b, x);
  hyperplane::cut_grid(Grid(8, 6, 4), {2, 1, 2}, {false, true, false});
}

template <class Scalar, int n>
void solve_relaxations(const Exec& exec, const hyperplane::BlockCsr<Scalar, n, Exec>& csr,
                       const hyperplane::PointVector<Scalar, n, Exec>& x) {
  hyperplane::DiluCsr<Scalar, n, Exec> dilu(exec, csr, {.transposed = true});
  dilu.factor(exec, csr);
  if (dilu.status(exec).ok()) dilu.solve(exec, x, x);
  dilu.solve_transposed(exec, x, x);
  hyperplane::SsorCsr<Scalar, n, Exec> ssor(exec, csr, {.relaxation = 1.2, .path = hyperplane::CsrPath::portable});
  ssor.factor(exec, csr);
  if (ssor.status(exec).ok()) ssor.solve(exec, x, x);
  hyperplane::BlockJacobiCsr<Scalar, n, Exec> jacobi(exec, csr, {.relaxation = 0.5});
  jacobi.factor(exec, csr);
  if (jacobi.status(exec).ok()) jacobi.solve(exec, x, x);
}

template <class Scalar, int n>
void solve_several(const Exec& exec, const hyperplane::BlockCsr<Scalar, n, Exec>& csr) {
  using Vectors = hyperplane::PointVectors<Scalar, n, 3, Exec>;
  Vectors const b(exec, csr.rows()), x(exec, csr.rows());
  hyperplane::DiluCsr<Scalar, n, Exec> dilu(exec, csr, {.transposed = true});
  dilu.factor(exec, csr);
  hyperplane::residual(exec, csr, b, x, b);
  hyperplane::SimultaneousBiCgStab<Vectors>(exec, csr.rows())
      .solve(exec, hyperplane::transposed(exec, csr), hyperplane::transposed(dilu), b, x);
  hyperplane::SimultaneousFgmres<Vectors>(exec, csr.rows()).solve(exec, csr, dilu, b, x);
  solve_narrowed<hyperplane::SimultaneousBiCgStab<Vectors>>(exec, csr.rows(), csr, dilu, b, x);
}

template <class Scalar, int n>
void solve_lines(const Exec& exec) {
  hyperplane::BlockTridiagonal<Scalar, n, Exec> lines(exec, hyperplane::LineSet::lists(4, {0, 2, 4}, {0, 1, 2, 3}));
  hyperplane::BlockTridiagonalMatrix<Scalar, n, Exec> const a(exec, lines.layout());
  hyperplane::LineVector<Scalar, n, Exec> const b(exec, lines.layout(), 2);
  lines.factor(exec, a);
  lines.solve(exec, b, b);
  lines.solve_transposed(exec, b, b);
  Kokkos::View<Scalar*, Exec> const rows("rows", 4 * n);
  lines.solve(exec, rows, rows);
  lines.solve_transposed(exec, rows, rows);

  hyperplane::BlockCsr<Scalar, n, Exec> const csr(exec, {0, 2, 4}, {0, 1, 0, 1});
  hyperplane::LineImplicitCsr<Scalar, n, Exec> implicit(exec, csr, hyperplane::LineSet::lists(2, {0, 2}, {0, 1}),
                                                        {.transposed = true});
  implicit.factor(exec, csr);
  hyperplane::PointVector<Scalar, n, Exec> const point_values(exec, 2);
  implicit.solve(exec, point_values, point_values);
  implicit.solve_transposed(exec, point_values, point_values);
  hyperplane::apply(exec, csr, point_values, point_values);
  hyperplane::BlockIlu0Csr<Scalar, n, Exec> ilu(exec, csr, {.path = hyperplane::CsrPath::portable});
  ilu.factor(exec, csr);
  if (ilu.status(exec).ok()) ilu.solve(exec, point_values, point_values);
  hyperplane::BlockIlutCsr<Scalar, n, Exec> ilut(exec, csr, {.drop_tolerance = 0.1, .transposed = true});
  ilut.factor(exec, csr);
  if (ilut.status(exec).ok()) ilut.solve_transposed(exec, point_values, point_values);
  solve_relaxations<Scalar, n>(exec, csr, point_values);
  solve_several<Scalar, n>(exec, csr);
}

template <class Scalar>
hyperplane::ConstantStencil7<Scalar> const laplacian{
    .bottom = -1, .south = -1, .west = -1, .center = 6, .east = -1, .north = -1, .top = -1};

template <class Scalar>
void solve_scalars(const Exec& exec) {
  Grid const grid(5, 4, 3);
  solve<Scalar, 1>(exec, grid, hyperplane::Sip<Scalar, Exec>(exec, grid));
  hyperplane::SipIteration<Scalar, Exec> iteration(exec, grid);
  hyperplane::BlockStencil7<Scalar, 1, Exec> const a(exec, grid);
  hyperplane::BlockVector<Scalar, 1, Exec> const x(exec, grid);
  iteration.factor(exec, a);
  iteration.iterate(exec, a, x, x, 2);
  iteration.solve(exec, a, x, x);

  using Field = hyperplane::ScalarField<Scalar, Exec>;
  using Stencil = hyperplane::ConstantStencil7<Scalar>;
  auto const& stencil = laplacian<Scalar>;
  hyperplane::FieldSsor<Stencil, Exec> ssor(exec, grid);
  hyperplane::FieldJacobi<Stencil, Exec> jacobi(exec, grid);
  ssor.factor(exec, stencil);
  jacobi.factor(exec, stencil);
  Field const b(exec, grid);
  Field const y(exec, grid);
  hyperplane::BiCgStab<Field> const krylov(exec, grid);
  krylov.solve(exec, stencil, ssor, b, y);
  krylov.solve(exec, stencil, jacobi, b, y);
}

template <class T>
void primitives(const Exec& exec) {
  std::vector<T> values(120);
  hyperplane::ArrayRef<T> const p(values.data(), {4, 5, 6});
  auto const inside = p.box().without_boundary(1);
  hyperplane::fill(exec, inside, T(1), p);
  hyperplane::scale(exec, inside, T(2), p);
  hyperplane::copy(exec, inside, p, p);
  hyperplane::axpy(exec, inside, T(1), p, p);
  hyperplane::axpby(exec, inside, T(1), p, T(2), p);
  hyperplane::Reductions<Exec> const reductions(exec);
  reductions.sum(exec, inside, p);
  reductions.min(exec, inside, p);
  reductions.max(exec, inside, p);
  reductions.norm_1(exec, inside, p);
  reductions.norm_inf(exec, inside, p);
  reductions.dot(exec, inside, p, p);
  hyperplane::BoxPacker<T, Exec> const packer(exec, {{p, inside, {2, 1, 0}}});
  packer.pack(exec, values.data());
  packer.unpack(exec, values.data());
  if constexpr (hyperplane::Real<T>) {
    reductions.norm_2(exec, inside, p);
    Kokkos::View<double, Exec> const product("product");
    reductions.axpy_dot(exec, inside, T(1), p, p, p, product);
    reductions.update_dot(exec, inside, T(1), p, p, p, p, product);
    Kokkos::View<double*, Exec> const products("products", 2);
    reductions.dots(exec, inside, std::array{hyperplane::dot_pair(p, p), hyperplane::dot_pair(p, p)}, products);
    hyperplane::apply(exec, inside, laplacian<T>, p, p);
  }
}

template <class Equation>
void swept(const Exec& exec, const Equation& equation) {
  hyperplane::SweptLine<Equation, Exec> const u("u", 100, Equation::components);
  for (auto const variant : {hyperplane::SweptVariant::automatic, hyperplane::SweptVariant::tiles}) {
    hyperplane::SweptRule<Equation, Exec> rule(exec, equation, 100, {.variant = variant});
    rule.advance(exec, u, 10);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Exec const exec;
  hyperplane::TimerReport const report;
  solve_blocks<double, 1, double>(exec);
  solve_blocks<double, 5, float>(exec);
  solve_blocks<float, 9, float>(exec);
  solve_grid_blocks<double, 5>(exec);
  solve_lines<double, 1>(exec);
  solve_lines<double, 5>(exec);
  solve_scalars<double>(exec);
  solve_scalars<float>(exec);
  primitives<double>(exec);
  primitives<float>(exec);
  primitives<int>(exec);
  swept(exec, hyperplane::HeatEquation<double>{.fourier_number = 0.4});
  swept(exec, hyperplane::HeatEquation<float>{.fourier_number = 0.4F});
  swept(exec, hyperplane::EulerEquations<double>::sod(0.1));
  swept(exec, hyperplane::EulerEquations<float>::sod(0.1F));
}
