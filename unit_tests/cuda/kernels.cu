// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/array/detail/box_copy_cuda_kernel.hpp>
#include <hyperplane/array/detail/nest_copy_cuda_kernel.hpp>
#include <hyperplane/array/detail/reduce_cuda_kernel.hpp>
#include <hyperplane/array/detail/stencil_march_cuda_kernel.hpp>
#include <hyperplane/csr/detail/block_csr_cuda_kernel.hpp>
#include <hyperplane/cuda/peer_messages.hpp>
#include <hyperplane/cuda/range.hpp>
#include <hyperplane/ilu/comparison/persistent_factor_cuda.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_graph_factor.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_plan.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_group_factor_plan.hpp>
#include <hyperplane/ilu/detail/csr_dilu_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_factor_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/ilu/detail/csr_level_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_scanned.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_staged.hpp>
#include <hyperplane/line/detail/line_jacobi_cuda_staged.hpp>
#include <hyperplane/sip/detail/sip_coefficients_cuda.hpp>
#include <hyperplane/sip/detail/sip_group_cuda.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_cuda_plan.hpp>
#include <hyperplane/stencil/detail/apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/grouped_apply_cuda_kernel.hpp>
#include <hyperplane/stencil/detail/layers_beyond_cuda.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/sweep/comparison/persistent_sweeps_cuda.hpp>
#include <hyperplane/sweep/detail/graph_sweep_cuda.hpp>
#include <hyperplane/sweep/detail/scalar_group_solve_cuda_plan.hpp>
#include <hyperplane/sweep/detail/slab_group_solve_cuda_plan.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_plan.hpp>
#include <hyperplane/swept/detail/swept_cuda_graph.hpp>
#include <hyperplane/swept/detail/swept_cuda_hybrid.hpp>
#include <hyperplane/swept/detail/swept_cuda_plan.hpp>
#include <hyperplane/swept/detail/swept_cuda_registers.hpp>
#include <hyperplane/swept/euler.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/kuramoto_sivashinsky.hpp>

#include <type_traits>

// All kernels for CUDA, compiled without Kokkos. Those of BILU(0): the smallest block, sizes on both sides of where
// kernels change, the largest; double, float, and float storage; on slabs also 16 bits.
namespace hyperplane::detail {

template <class Scalar, int n, class Storage, class MatrixStorage, int W>
void compile(cudaStream_t stream, const SlabMap<W>& map, const BlockStencil7Ref<MatrixStorage, n, W>& a,
             const TriangularFactors<Storage, n, W>& factors, const BlockVectorRef<Scalar, n, W>& x,
             unsigned long long* singular) {
  VectorRefs<BlockVectorRef<Scalar, n, W>, 1> const one{{x}};
  VectorRefs<BlockVectorRef<Scalar, n, W>, 3> const several{{x, x, x}};
  CudaSlabSweeps<Scalar, n, Storage, W> slab(stream, map, 0, 3);
  slab(stream, Sweeps::both, factors, one, one);
  slab(stream, Sweeps::both, factors, several, several);
  slab.solve_transposed(stream, Sweeps::both, factors, x, x);
  CudaGraphSweeps<Scalar, n, Storage, W> graphs(stream, map);
  graphs(stream, Sweeps::both, factors, one, one);
  graphs.solve_transposed(stream, Sweeps::both, factors, x, x);
  FoldedMap<W> const folded(FoldedOrder(map.grid(), {.i = true, .j = true, .k = true}));
  CudaGraphSweeps<Scalar, n, Storage, W, FoldedMap<W>> folded_graphs(stream, folded);
  folded_graphs(stream, Sweeps::both, factors, one, one);
  folded_graphs.solve_transposed(stream, Sweeps::both, factors, x, x);
  BlockIlu0CudaSlabFactor<Scalar, n, Storage, W>(stream, map, 0)(stream, a, factors, singular);
  BlockIlu0CudaGraphFactors<Scalar, n, Storage, W>(stream, map)(stream, a, factors, singular);
  BlockIlu0CudaGraphFactors<Scalar, n, Storage, W, FoldedMap<W>>(stream, folded)(stream, a, factors, singular);
  auto* const values = x.packs().pack_data(0);
  BlockIlu0CudaSlabGroupFactor<Scalar, n, Storage, W>(stream, {{factors, singular, 0}}, 0)(stream,
                                                                                           a.packs().pack_data(0));
  if constexpr (n == 1) {
    CudaScalarGroupSolve<Scalar, Storage, W>(stream, {{factors, 0}}, 0)(stream, Sweeps::both, values, values);
  } else {
    CudaSlabGroupSolve<Scalar, n, Storage, W>(stream, {{factors, 0}}, 0)(stream, Sweeps::both, values, values);
    CudaSlabBlockSolve<Scalar, n, Storage, W, true> sweeps_of_part(stream, map, 0, 1);
    sweeps_of_part(stream, Sweeps::both, factors, one, one);
    sweeps_of_part.solve_transposed(stream, Sweeps::both, factors, x, x);
    BlockIlu0CudaSlabFactor<Scalar, n, Storage, W, true> const part(stream, map, 0);
    part(stream, a, factors, singular);
    part.publish_read(stream);
  }
  auto const compare = [&]<PlaneTurns turns>(PersistentPlanes<turns, W> shared) {
    PersistentFactor<turns, Scalar, n, Storage, W> const factor(shared);
    factor(stream, shared, a, factors, singular);
    PersistentSweeps<turns, Scalar, n, Storage, W> const sweeps(shared);
    sweeps(stream, shared, Sweeps::both, factors, x, x);
  };
  compare(PersistentPlanes<PlaneTurns::thread_recycling, W>(stream, map, 0));
  compare(PersistentPlanes<PlaneTurns::cooperative, W>(stream, map, 0));
  compare(PersistentPlanes<PlaneTurns::self_scheduled, W>(stream, map, 0));
}

#define HYPERPLANE_COMPILE(Scalar, n, Storage, MatrixStorage, W)                     \
  template void compile<Scalar, n, Storage, MatrixStorage, W>(                       \
      cudaStream_t, const SlabMap<W>&, const BlockStencil7Ref<MatrixStorage, n, W>&, \
      const TriangularFactors<Storage, n, W>&, const BlockVectorRef<Scalar, n, W>&, unsigned long long*);
HYPERPLANE_COMPILE(double, 1, double, double, 8)
HYPERPLANE_COMPILE(double, 1, float, double, 8)
HYPERPLANE_COMPILE(float, 1, float, float, 16)
HYPERPLANE_COMPILE(double, 6, double, double, 8)
HYPERPLANE_COMPILE(double, 9, float, double, 8)
HYPERPLANE_COMPILE(double, 16, double, float, 8)
HYPERPLANE_COMPILE(float, 5, float, float, 16)
#undef HYPERPLANE_COMPILE

// Sweeps with factors of 16 bits, in units of their own and without, and their factorization on slabs.
template <class Scalar, int n, class Storage, int W>
void compile_short(cudaStream_t stream, const SlabMap<W>& map, const BlockStencil7Ref<Scalar, n, W>& a,
                   const TriangularFactors<Storage, n, W>& factors, const BlockVectorRef<Scalar, n, W>& x) {
  VectorRefs<BlockVectorRef<Scalar, n, W>, 1> const one{{x}};
  CudaSlabSweeps<Scalar, n, Storage, W> slab(stream, map, 0, 1);
  slab(stream, Sweeps::both, factors, one, one);
  slab.solve_transposed(stream, Sweeps::both, factors, x, x);
  CudaGraphSweeps<Scalar, n, Storage, W> graphs(stream, map);
  graphs(stream, Sweeps::both, factors, one, one);
  graphs.solve_transposed(stream, Sweeps::both, factors, x, x);
  BlockIlu0CudaSlabFactor<Scalar, n, Storage, W>(stream, map, 0)(stream, a, factors, nullptr);
  BlockIlu0CudaSlabGroupFactor<Scalar, n, Storage, W>(stream, {{factors, nullptr, 0}}, 0)(stream,
                                                                                          a.packs().pack_data(0));
}
template void compile_short<double, 5, Half, 8>(cudaStream_t, const SlabMap<8>&, const BlockStencil7Ref<double, 5, 8>&,
                                                const TriangularFactors<Half, 5, 8>&,
                                                const BlockVectorRef<double, 5, 8>&);
template void compile_short<float, 1, BFloat16, 16>(cudaStream_t, const SlabMap<16>&,
                                                    const BlockStencil7Ref<float, 1, 16>&,
                                                    const TriangularFactors<BFloat16, 1, 16>&,
                                                    const BlockVectorRef<float, 1, 16>&);

// The coefficients of SIP.
template <class Scalar, class Storage, class MatrixStorage, int W, bool masked>
void compile_sip(cudaStream_t stream, const SlabMap<W>& map,
                 const CudaSipCoefficients<Scalar, Storage, MatrixStorage, W, masked>& work) {
  using Work = CudaSipCoefficients<Scalar, Storage, MatrixStorage, W, masked>;
  PointRecursionPlan<PointRecursionLaunch<PointRecursion<Scalar, W, sip_upper>, Work, Work>> const plan(stream, map, 0);
  plan(stream, 0, work, work);
}
template class PointRecursionGroupPlan<PointRecursion<double, 8, sip_upper>, CudaSipMember<float, 8>,
                                       CudaSipGroup<double, float, float, 8>>;
template class PointRecursionGroupPlan<PointRecursion<double, 8, sip_upper>, CudaSipMember<Half, 8>,
                                       CudaSipGroup<double, Half, double, 8>>;
template void compile_sip(cudaStream_t, const SlabMap<8>&, const CudaSipCoefficients<double, float, double, 8, true>&);
template void compile_sip(cudaStream_t, const SlabMap<8>&, const CudaSipCoefficients<double, Half, float, 8, true>&);
template void compile_sip(cudaStream_t, const SlabMap<16>&, const CudaSipCoefficients<float, float, float, 16, false>&);

// Iterations of SIP in one kernel.
template class SipIterationPlan<double, double, 8>;
template class SipIterationPlan<double, float, 8>;
template class SipIterationPlan<float, float, 16>;

// Those of BlockTridiagonal: places in line storage, in slabs, and anywhere.
template <class Scalar, int n, class Storage, class MatrixStorage, class Places, int W>
void compile_lines(cudaStream_t stream, const LineMatrix<MatrixStorage, Places>& a,
                   const LineFactors<Storage, n, W>& factors, const LineUnknowns<const Scalar, Places>& rhs,
                   const LineUnknowns<Scalar, Places>& x, unsigned long long* singular) {
  auto const run = [&](const auto& plan) {
    plan.factor(stream, a, factors, singular);
    plan.template solve<false>(stream, factors, rhs, x, 1);
    plan.template solve<true>(stream, factors, rhs, x, 1);
  };
  if constexpr (n == 1) {
    run(BlockTridiagonalCudaScanned<Scalar, Storage, W>(1, 1, 128));
  } else {
    run(BlockTridiagonalCudaStaged<Scalar, n, Storage, W>(1, 128));
  }
}

#define HYPERPLANE_COMPILE_LINES(Scalar, n, Storage, MatrixStorage, Places, W)                   \
  template void compile_lines<Scalar, n, Storage, MatrixStorage, Places, W>(                     \
      cudaStream_t, const LineMatrix<MatrixStorage, Places>&, const LineFactors<Storage, n, W>&, \
      const LineUnknowns<const Scalar, Places>&, const LineUnknowns<Scalar, Places>&, unsigned long long*);
HYPERPLANE_COMPILE_LINES(double, 1, double, double, StridedPlaces<16>, 16)
HYPERPLANE_COMPILE_LINES(double, 1, float, double, GatheredPlaces, 16)
HYPERPLANE_COMPILE_LINES(float, 1, float, float, StridedPlaces<16>, 32)
HYPERPLANE_COMPILE_LINES(double, 5, double, double, StridedPlaces<8>, 16)
HYPERPLANE_COMPILE_LINES(double, 5, Half, double, StridedPlaces<16>, 16)
HYPERPLANE_COMPILE_LINES(double, 16, double, float, GatheredPlaces, 16)
HYPERPLANE_COMPILE_LINES(double, 3, float, float, StridedPlaces<8>, 16)
HYPERPLANE_COMPILE_LINES(float, 5, float, float, StridedPlaces<16>, 32)
#undef HYPERPLANE_COMPILE_LINES

// Those of LineJacobi.
template <class Scalar, int n, class Storage, class Places, int W>
void compile_line_jacobi(cudaStream_t stream, const LineLayoutRef<W>& layout,
                         const InterleavedRef<Storage, W, line_jacobi_blocks * n * n>& blocks,
                         const InterleavedRef<Scalar, W, line_jacobi_vectors * n>& vectors,
                         const LineUnknowns<const Scalar, Places>& rhs, const LineUnknowns<Scalar, Places>& x) {
  LineJacobiCudaStaged<Scalar, n, Storage, W, 8>(1).solve(stream, layout, blocks, vectors, rhs, x, {0, 10, 4});
}

#define HYPERPLANE_COMPILE_LINE_JACOBI(Scalar, n, Storage, Places, W)                      \
  template void compile_line_jacobi<Scalar, n, Storage, Places, W>(                        \
      cudaStream_t, const LineLayoutRef<W>&, const InterleavedRef<Storage, W, 3 * n * n>&, \
      const InterleavedRef<Scalar, W, 2 * n>&, const LineUnknowns<const Scalar, Places>&,  \
      const LineUnknowns<Scalar, Places>&);
HYPERPLANE_COMPILE_LINE_JACOBI(double, 1, double, StridedPlaces<16>, 16)
HYPERPLANE_COMPILE_LINE_JACOBI(double, 5, float, GatheredPlaces, 16)
HYPERPLANE_COMPILE_LINE_JACOBI(float, 5, float, StridedPlaces<16>, 32)
#undef HYPERPLANE_COMPILE_LINE_JACOBI

// The product with a stencil, whole and without what is along a line, and with its transpose.
template struct ApplyCuda<false, double, 1, double, 8, AllTerms>;
template struct ApplyCuda<true, double, 5, double, 8, OffLineTerms>;
template struct ApplyCuda<true, double, 16, float, 8, AllTerms>;
template struct ApplyCuda<true, float, 3, float, 16, OffLineTerms>;
template struct ApplyCuda<false, double, 5, double, 8, AllTerms, true>;
template struct ApplyCuda<true, double, 1, float, 8, OffLineTerms, true>;
template struct ApplyCuda<true, double, 5, double, 8, AllTerms, false, LayersBeyond<double, 5, 8>>;
template struct ApplyCuda<true, double, 5, double, 8, AllTerms, true, BlocksBeyond<double, double, 5, 8>>;
template struct GroupedApplyCuda<true, double, 5, double, 8, OffLineTerms>;
template struct GroupedApplyCuda<false, double, 1, float, 8, AllTerms>;
struct CompiledOutside {
  static constexpr bool exists = true;
  using OfGrid = LayersBeyond<double, 5, 8>;
  OfGrid m_layers;
  __device__ OfGrid of(int, const Grid&) const { return m_layers; }
};
template struct GroupedApplyCuda<false, double, 5, double, 8, AllTerms, CompiledOutside>;

// Reductions: of one array and of eight, of operations that read and that write.
struct CompiledDots {
  static constexpr int written = 0;
  template <class... Pairs>
  HYPERPLANE_FUNCTION Partials<double, 2> operator()(const Pairs&... values) const {
    const double all[] = {static_cast<double>(values)...};
    return {{all[0] * all[0], all[sizeof...(Pairs) - 1]}};
  }
};
struct CompiledUpdate {
  static constexpr int written = 1;
  HYPERPLANE_FUNCTION Partials<double, 1> operator()(double& x) const { return {{x += 1.0}}; }
};
struct CompiledFinish {
  double* m_result;
  template <class Found>
  HYPERPLANE_FUNCTION void operator()(const Found& found) const {
    *m_result = found.m_values[0];
  }
};
template void reduce_cuda<SumJoin, 4>(cudaStream_t, const Nest<double, 8>&, const CompiledDots&, const CompiledFinish&,
                                      std::byte*);
template void reduce_cuda<MaxJoin, 4>(cudaStream_t, const Nest<float, 1>&, const CompiledDots&, const CompiledFinish&,
                                      std::byte*);
template void reduce_cuda<SumJoin, 4>(cudaStream_t, const Nest<double, 1>&, const CompiledUpdate&,
                                      const CompiledFinish&, std::byte*);

// A thread for each element.
struct CompiledBody {
  double* m_values;
  __device__ void operator()(std::int64_t index) const { m_values[index] = 0.0; }
};
void compile_range(cudaStream_t stream, double* values) { cuda::launch_range(stream, 100, CompiledBody{values}); }

// Messages between devices.
struct CompiledGather {
  const double* m_values;
  __device__ double operator()(std::int64_t index) const { return m_values[index]; }
};
void compile_peers(cudaStream_t stream, const cuda::PeerSend<double>* sends, const cuda::PeerReceive<float>* receives,
                   float* received) {
  cuda::put_messages(stream, CompiledGather{nullptr}, sends, 1, 1);
  cuda::take_messages(stream, received, receives, 1, 1, cuda::Dependency::programmatic);
}

// Block CSR.
template <class Scalar, int n, class Storage>
void compile_csr(cudaStream_t stream, const CsrSweepTickets& tickets, const CsrSweepBlocks<Storage, n>& blocks,
                 const CsrSweepMemory<Scalar>& memory, Scalar* x) {
  constexpr bool is_narrow = !std::is_same_v<Storage, Scalar>;
  using Factors = CsrFactorBlocks<Storage, Scalar, FactorScales<Storage, n, 1>>;
  cuda::launch(stream, csr_factor_kernel<Scalar, n, Factors>, 1, csr_sweep_threads, 0, cuda::Dependency::complete,
               tickets, Factors{}, memory.m_words);
  if constexpr (is_narrow) {
    using Relaxed = CsrFactorBlocks<Storage, Scalar, FactorScales<Storage, n, 1>, CsrIluRelaxation<Scalar>>;
    cuda::launch(stream, csr_factor_kernel<Scalar, n, Relaxed>, 1, csr_sweep_threads, 0, cuda::Dependency::complete,
                 tickets, Relaxed{}, memory.m_words);
  }
  using MatrixStorage = WideStorage<Scalar, Storage>;
  csr_product_cuda<false, true, n>(stream, CsrProductBlocks<MatrixStorage, int>{}, x, x, x);
  csr_product_cuda<true, false, n>(stream, CsrProductBlocks<MatrixStorage, std::int64_t>{}, x, x, x);
  auto const run = [&]<class Sweep, class Blocks>(const Blocks& of) {
    cuda::launch(stream, csr_sweep_kernel<Sweep, Scalar, n, 1, Blocks>, 1, csr_sweep_threads, 0,
                 cuda::Dependency::complete, tickets, of, memory, x, x, 1);
    cuda::launch(stream, csr_level_kernel<Sweep, Scalar, n, 1, Blocks>, 1, csr_sweep_threads, 0,
                 cuda::Dependency::programmatic, CsrLevelRows{}, of, x, x, 1);
    if constexpr (n == 5) {
      cuda::launch(stream, csr_sweep_kernel<Sweep, Scalar, n, 4, Blocks>, 1, csr_sweep_threads, 0,
                   cuda::Dependency::complete, tickets, of, memory, x, x, 4);
      cuda::launch(stream, csr_level_kernel<Sweep, Scalar, n, 4, Blocks>, 1, csr_sweep_threads, 0,
                   cuda::Dependency::programmatic, CsrLevelRows{}, of, x, x, 4);
    }
  };
  auto const run_both = [&]<bool transposed, bool second>() {
    run.template operator()<CsrFactorSweep<transposed, second>>(blocks);
    if constexpr (!is_narrow) {
      run.template operator()<CsrRelaxationSweep<transposed, second>>(CsrRelaxationSweepBlocks<Scalar, n>{});
    }
  };
  run_both.template operator()<false, false>();
  run_both.template operator()<false, true>();
  run_both.template operator()<true, false>();
  run_both.template operator()<true, true>();
  if constexpr (!is_narrow) {
    using Pivots = CsrDiluBlocks<Scalar>;
    cuda::launch(stream, csr_dilu_kernel<Scalar, n, Pivots>, 1, csr_sweep_threads, 0, cuda::Dependency::complete,
                 tickets, Pivots{}, memory.m_words);
  }
}
template void compile_csr<double, 1, double>(cudaStream_t, const CsrSweepTickets&, const CsrSweepBlocks<double, 1>&,
                                             const CsrSweepMemory<double>&, double*);
template void compile_csr<float, 5, float>(cudaStream_t, const CsrSweepTickets&, const CsrSweepBlocks<float, 5>&,
                                           const CsrSweepMemory<float>&, float*);
template void compile_csr<double, 16, float>(cudaStream_t, const CsrSweepTickets&, const CsrSweepBlocks<float, 16>&,
                                             const CsrSweepMemory<double>&, double*);
template void compile_csr<double, 5, Half>(cudaStream_t, const CsrSweepTickets&, const CsrSweepBlocks<Half, 5>&,
                                           const CsrSweepMemory<double>&, double*);

// Copies between arrays and buffers.
template void copy_nest_tiles<int>(cudaStream_t, const Nest<int, 2>&, const NestBlocks&);
template void copy_boxes<true, int>(cudaStream_t, const BoxParameters<int>&, int);
template void copy_boxes<false, double>(cudaStream_t, const BoxParameters<double>&, int);
template void copy_boxes<true, double>(cudaStream_t, const BoxBlocks<double>*, const int*, int, double*);
template void copy_boxes<false, float>(cudaStream_t, const BoxBlocks<float>*, const int*, int, float*);

// The product with a stencil of constant coefficients.
template void run_stencil_march<double>(cudaStream_t, const StencilLoop<double, ConstantCoefficients<double>>&,
                                        const StencilMarch&);
template void run_stencil_march<float>(cudaStream_t, const StencilLoop<float, ConstantCoefficients<float>>&,
                                       const StencilMarch&);

// And those of the swept rule.
template <class Problem, int lane_points>
void compile_swept(cudaStream_t stream, const Problem& problem, const SweptRows<Problem>& rows) {
  SweptGraph<Problem>(stream, problem, 1000).advance(stream, rows.m_rows[0], 10);
  SweptTilePlan<Problem>(stream, problem, 1000, SweptVariant::resident, {}).advance(stream, rows, 10);
  SweptTiling const tiling(1000, 127, Problem::half_width, false);
  swept_registers_advance<Problem, lane_points>(stream, problem, rows, tiling, 1000, 10);
  SweptHostPart<Problem>(problem, tiling, 1000).begin(stream, {problem, rows, tiling, 1000, 1, 10});
}
template void compile_swept<HeatEquation<float>, 8>(cudaStream_t, const HeatEquation<float>&,
                                                    const SweptRows<HeatEquation<float>>&);
template void compile_swept<KuramotoSivashinsky<double>, 8>(cudaStream_t, const KuramotoSivashinsky<double>&,
                                                            const SweptRows<KuramotoSivashinsky<double>>&);
template void compile_swept<EulerEquations<double>, 3>(cudaStream_t, const EulerEquations<double>&,
                                                       const SweptRows<EulerEquations<double>>&);

}  // namespace hyperplane::detail
