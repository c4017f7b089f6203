// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// All public headers of the library.

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/inverse.hpp>
#include <hyperplane/block/lu.hpp>
#include <hyperplane/block/trsm.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/core/path.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/bsr_matrix.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/grid/pencil_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <hyperplane/line/line_implicit_options.hpp>
#include <hyperplane/line/line_jacobi.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_status.hpp>
#include <hyperplane/line/line_vector.hpp>
#include <hyperplane/simd/compact_views.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/convert.hpp>
