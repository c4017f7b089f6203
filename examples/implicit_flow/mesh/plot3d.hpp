// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"

#include <filesystem>
#include <span>
#include <vector>

namespace implicit_flow {

/// Encodings of a PLOT3D grid file. All of them: one block or several, 3-D or 2-D, "whole" (of each block all x, then
/// all y, then all z; i fastest), no iblank. Files are written in 3-D, binary ones in native byte order and double
/// precision.
///
/// P. P. Walatka, P. G. Buning, L. Pierce and P. A. Elson, "PLOT3D User's Manual", NASA TM-101067, 1990.
enum class Plot3dFormat {
  ascii,        ///< text: the number of blocks where there are several, I J K of each block, then the coordinates,
                ///< separated by white space, commas or ends of line; n*value repeats
  unformatted,  ///< Fortran unformatted: the same, in a record each, between 4-byte lengths; a record for each block
  stream,       ///< plain binary: 4-byte integers, then the coordinates
};

/// In which order a binary file has the bytes of a number.
enum class Plot3dByteOrder { automatic, little, big };

/// Reads a grid. The encoding, the number of dimensions and whether the number of blocks comes first are found from the
/// contents, as is the byte order unless it is told; single and double precision are told apart by the size. A grid in
/// 2-D becomes one cell thick, from z = 0 to 1. Throws hyperplane::Error with the file and the place (line, or byte),
/// and the block where there are several, for everything that is not such a grid: malformed, truncated, trailing data,
/// non-finite coordinates, fewer than two vertices along a direction.
std::vector<Mesh> read_plot3d(const std::filesystem::path& file, Plot3dByteOrder order = Plot3dByteOrder::automatic);

/// Writes a grid, without loss (ASCII with 17 digits); one block without the number of blocks. Throws hyperplane::Error
/// if the file cannot be written.
void write_plot3d(const std::filesystem::path& file, std::span<const Mesh> blocks, Plot3dFormat format);

}  // namespace implicit_flow
