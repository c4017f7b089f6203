// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plot3d.hpp"

#include "plot3d_bytes.hpp"
#include "plot3d_layout.hpp"
#include "plot3d_text.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace implicit_flow {

namespace {

[[noreturn]] void bad_block_count(const std::string& place, std::int64_t count) {
  bad_file(place + ": " + std::to_string(count) + " blocks: there must be from 1 to " +
           std::to_string(largest_plot3d_extent));
}

/// The layout whose numbers are as many as the text has. Where none has them, the one that its first lines look like,
/// so that an error says what is wrong with it.
Plot3dLayout text_layout(const std::string& file, const std::string& contents, const Plot3dText::Contents& found) {
  Plot3dText text(file, contents);
  auto const integer = [&](std::int64_t n) -> std::optional<std::int64_t> {
    if (n >= static_cast<std::int64_t>(found.integers.size())) return std::nullopt;
    return found.integers[static_cast<std::size_t>(n)];
  };
  std::optional<Plot3dLayout> result;
  for (auto const& layout : plot3d_layouts) {
    auto const blocks = plausible_blocks(layout, integer);
    if (!blocks) continue;
    auto const coordinates = found.count - header_size(layout, static_cast<std::int64_t>(blocks->size()));
    if (coordinate_count(*blocks, layout.dimensions, coordinates) != coordinates) continue;
    if (result) bad_file(file + ": may be " + to_string(*result) + ", or " + to_string(layout));
    result = layout;
  }
  if (result) return *result;
  text.integer("number of vertices along i");
  int const next = text.integers_on_next_line();
  if (text.at_end_of_line() && (next == 2 || next == 3)) return {true, next};
  auto const line = contents.substr(0, contents.find('\n'));
  return {false, Plot3dText(file, line).contents().count == 2 ? 2 : 3};
}

std::vector<Mesh> read_text(const std::string& file, const std::string& contents) {
  Plot3dText text(file, contents);
  auto const found = text.contents();
  auto const layout = text_layout(file, contents, found);
  std::int64_t count = 1;
  if (layout.counts_blocks) {
    auto const given = text.integer("the number of blocks");
    count = given.value;
    if (count < 1 || count > largest_plot3d_extent) bad_block_count(given.place, count);
  }
  bool const alone = count == 1;
  std::vector<Plot3dBlock> blocks;
  std::vector<Plot3dExtents> all_extents;
  for (int b = 0; b < count; ++b) {
    Plot3dExtents extents{1, 1, 1};
    std::string place;
    for (int d = 0; d < layout.dimensions; ++d) {
      auto const given = text.integer(std::string("number of vertices along ") + "ijk"[d] +
                                      (alone ? "" : " of block " + std::to_string(b)));
      if (d == 0) place = given.place;
      extents[static_cast<std::size_t>(d)] = given.value;
    }
    blocks.emplace_back(place, layout, extents, b, alone);
    all_extents.push_back(extents);
  }
  // A text that is too short is only read to where it ends, for the error.
  bool const complete = coordinate_count(all_extents, layout.dimensions, found.count) <= found.count;
  std::vector<Mesh> result;
  for (auto& block : blocks) {
    if (complete) block.allocate();
    for (std::int64_t index = 0; index < block.size(); ++index) {
      auto const value = text.real([&] { return block.name(index); });
      if (complete) block.set(index, value);
    }
    if (complete) result.push_back(block.finish());
  }
  text.expect_end();
  return result;
}

/// Layout of a file of records: by the first one, whose length is that of one number or of the extents of a block.
std::optional<Plot3dLayout> record_layout(const Plot3dBytes& bytes) {
  auto const length = bytes.integer(0);
  if (length == 4 && bytes.integer(8) == 4) {
    auto const count = bytes.integer(4).value_or(0), next = bytes.integer(12).value_or(0);
    if (next == 12 * count) return Plot3dLayout{true, 3};
    if (next == 8 * count) return Plot3dLayout{true, 2};
  }
  if (length == 12 && bytes.integer(16) == 12) return Plot3dLayout{false, 3};
  if (length == 8 && bytes.integer(12) == 8) return Plot3dLayout{false, 2};
  return std::nullopt;
}

/// Whether the file is a chain of records from its first byte to its last one. A plain binary file may begin like a
/// record: that of 8 blocks does where the first has 8 vertices along k.
bool has_only_records(const Plot3dBytes& bytes) {
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    auto const length = bytes.integer(offset).value_or(-1);
    auto const size = static_cast<std::size_t>(static_cast<std::uint32_t>(length));
    if (!bytes.has(offset, size + 8) || bytes.integer(offset + 4 + size) != length) return false;
    offset += 8 + size;
  }
  return true;
}

/// The extents of blocks, from `offset` on, which is then behind them.
std::vector<Plot3dBlock> read_extents(const Plot3dBytes& bytes, const Plot3dLayout& layout, std::int64_t count,
                                      std::size_t& offset) {
  std::vector<Plot3dBlock> blocks;
  for (int b = 0; b < count; ++b) {
    Plot3dExtents extents{1, 1, 1};
    auto const place = bytes.place(offset);
    for (std::size_t d = 0; d < static_cast<std::size_t>(layout.dimensions); ++d, offset += 4) {
      extents[d] = bytes.read<std::int32_t>(offset, "extents of block " + std::to_string(b));
    }
    blocks.emplace_back(place, layout, extents, b, count == 1);
  }
  return blocks;
}

std::int64_t read_block_count(const Plot3dBytes& bytes, std::size_t offset) {
  auto const count = bytes.read<std::int32_t>(offset, "the number of blocks");
  if (count < 1 || count > largest_plot3d_extent) bad_block_count(bytes.place(offset), count);
  return count;
}

std::vector<Mesh> read_unformatted(const Plot3dBytes& bytes, const Plot3dLayout& layout) {
  std::size_t offset = 0;
  std::int64_t count = 1;
  if (layout.counts_blocks) {
    count = read_block_count(bytes, 4);
    offset = 12;
  }
  bytes.record_length(offset, "the extents of " + std::to_string(count) + " blocks");
  offset += 4;
  auto blocks = read_extents(bytes, layout, count, offset);
  offset += 4;
  std::vector<Mesh> result;
  for (auto& block : blocks) {
    auto const what = "a record of coordinates of " + to_string(block.vertices()) + " vertices" + block.of_block();
    auto const length = bytes.record_length(offset, what);
    result.push_back(bytes.coordinates(std::move(block), offset + 4, length));
    offset += 8 + length;
  }
  if (offset != bytes.size()) bad_file(bytes.place(offset) + ": data after the end of the grid (iblank is not read)");
  return result;
}

/// A plain binary file, as one layout and byte order have it.
struct Stream {
  Plot3dBytes bytes;
  Plot3dLayout layout;
  std::int64_t values;  ///< coordinates of all blocks, or more than the file has bytes
  std::size_t header;   ///< bytes in front of them
  bool fits;            ///< the file is as long
};

std::optional<Stream> as_stream(const Plot3dBytes& bytes, const Plot3dLayout& layout) {
  auto const blocks =
      plausible_blocks(layout, [&](std::int64_t n) { return bytes.integer(4 * static_cast<std::size_t>(n)); });
  if (!blocks) return std::nullopt;
  auto const header = 4 * static_cast<std::size_t>(header_size(layout, static_cast<std::int64_t>(blocks->size())));
  auto const values = coordinate_count(*blocks, layout.dimensions, static_cast<std::int64_t>(bytes.size()));
  auto const length = static_cast<std::int64_t>(bytes.size() - header);
  return Stream{bytes, layout, values, header, length % values == 0 && (length / values == 4 || length / values == 8)};
}

std::vector<Mesh> read_stream(const Stream& stream) {
  auto const& bytes = stream.bytes;
  std::size_t offset = stream.layout.counts_blocks ? 4 : 0;
  std::int64_t const count = stream.layout.counts_blocks ? read_block_count(bytes, 0) : 1;
  auto blocks = read_extents(bytes, stream.layout, count, offset);
  // Precision is that of the whole file; what is too short is too short in its last block.
  auto const width = bytes.size() - offset == 4 * static_cast<std::size_t>(stream.values) ? 4U : 8U;
  std::vector<Mesh> result;
  for (auto& block : blocks) {
    auto const needed = width * static_cast<std::size_t>(block.size()), rest = bytes.size() - offset;
    bool const last = result.size() + 1 == blocks.size();
    auto const length = last || rest < needed ? rest : needed;
    result.push_back(bytes.coordinates(std::move(block), offset, length));
    offset += length;
  }
  return result;
}

std::vector<Mesh> read_binary(const std::string& file, const std::string& contents, Plot3dByteOrder order) {
  constexpr bool native_is_little = std::endian::native == std::endian::little;
  std::vector<Plot3dBytes> orders;
  for (bool const swapped : {false, true}) {
    bool const little = swapped != native_is_little;
    if (order == Plot3dByteOrder::automatic || little == (order == Plot3dByteOrder::little)) {
      orders.emplace_back(file, contents, swapped);
    }
  }
  for (auto const& bytes : orders) {
    auto const layout = record_layout(bytes);
    if (layout && has_only_records(bytes)) return read_unformatted(bytes, *layout);
  }
  std::optional<Stream> likely;
  for (auto const& bytes : orders) {
    for (auto const& layout : plot3d_layouts) {
      auto const stream = as_stream(bytes, layout);
      if (!stream) continue;
      if (stream->fits && likely && likely->fits) {
        bad_file(file + ": may be " + to_string(likely->layout) + ", or " + to_string(layout));
      }
      if (!likely || (stream->fits && !likely->fits)) likely = stream;
    }
  }
  if (likely && likely->fits) return read_stream(*likely);
  // Nothing fits: what it looks like most, for the error.
  for (auto const& bytes : orders) {
    if (auto const layout = record_layout(bytes)) return read_unformatted(bytes, *layout);
  }
  if (likely) return read_stream(*likely);
  // Nothing that it can be: as one block, for the error.
  orders.front().read<std::int32_t>(8, "the extents of a block");
  auto const length = orders.front().integer(0);
  if (length == 4 || length == 12) return read_unformatted(orders.front(), {length == 4, 3});
  return read_stream({orders.front(), {false, 3}, 0, 12, false});
}

bool is_text(const std::string& contents) {
  for (std::size_t c = 0; c < std::min<std::size_t>(contents.size(), 512); ++c) {
    auto const byte = static_cast<unsigned char>(contents[c]);
    if (byte > 126 || (byte < 32 && byte != '\n' && byte != '\r' && byte != '\t')) return false;
  }
  return true;
}

}  // namespace

std::vector<Mesh> read_plot3d(const std::filesystem::path& file, Plot3dByteOrder order) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) bad_file(file.string() + ": cannot be read");
  std::string const contents(std::istreambuf_iterator<char>(in), {});
  if (contents.empty()) bad_file(file.string() + ": the file is empty");
  if (is_text(contents)) return read_text(file.string(), contents);
  return read_binary(file.string(), contents, order);
}

}  // namespace implicit_flow
