// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// StencilLaunch of every execution space.
#include <hyperplane/array/detail/run_stencil.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/array/detail/stencil_march_cuda.hpp>
#endif
