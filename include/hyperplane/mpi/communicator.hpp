// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/detail/mpi_call.hpp>

#include <mpi.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Ranks of MPI that work together: a duplicate of a communicator, so that no message of the library meets one of the
/// code's.
///
/// A handle: copies are the same communicator, which is freed with the last of them, but not after MPI_Finalize. MPI's
/// own errors throw Error with MPI's text. All but rank(), size(), get() and copies is collective: all ranks do it, in
/// the same order, also the end of the last copy.
///
/// What goes wrong on one rank must not leave the others waiting for it: agree() makes it an error on all ranks.
class Communicator {
 public:
  /// Throws Error unless MPI is initialized and not finalized, and the communicator is one of ranks of one group.
  /// MPI_Comm_free leaves MPI_COMM_NULL behind, which is refused; a copy of a handle that was freed elsewhere cannot be
  /// told from one that is in use, and MPI ends the program or not, as it likes.
  explicit Communicator(MPI_Comm communicator) : m_state(std::make_shared<const State>(communicator)) {}

  int rank() const { return m_state->m_rank; }
  /// Number of ranks.
  int size() const { return m_state->m_size; }
  /// The duplicate, which stays this object's.
  MPI_Comm get() const { return m_state->m_communicator; }

  /// Where a rank has an error, all ranks throw one Error: "rank 2: ", and the text of the lowest rank that has one.
  /// Costs a reduction of one number.
  void agree(const std::string& error) const {
    int const first = lowest(!error.empty());
    if (first < size()) throw Error("rank " + std::to_string(first) + ": " + from(first, error));
  }

  /// Calls the function on each rank, and returns what it returns. Where it throws on a rank, all ranks throw, as
  /// agree() of that text.
  template <std::invocable Function>
  auto agree(const Function& function) const {
    using Result = std::invoke_result_t<const Function&>;
    if constexpr (std::is_void_v<Result>) {
      agree(error_of(function));
    } else {
      std::optional<Result> result;
      agree(error_of([&] { result.emplace(function()); }));
      return *std::move(result);
    }
  }

  /// Whether it is true on any rank.
  bool any(bool value) const { return lowest(value) < size(); }

  /// The lowest rank on which it is true; size() where there is none.
  int lowest(bool value) const {
    int const mine = value ? rank() : size();
    return static_cast<int>(lowest(std::int64_t{mine}));
  }
  /// The lowest value of all ranks.
  std::int64_t lowest(std::int64_t value) const {
    std::int64_t result = 0;
    detail::mpi_call("MPI_Allreduce", MPI_Allreduce(&value, &result, 1, MPI_INT64_T, MPI_MIN, get()));
    return result;
  }

  /// The text of one rank.
  std::string from(int root, const std::string& text) const {
    std::uint64_t length = text.size();
    detail::mpi_call("MPI_Bcast", MPI_Bcast(&length, 1, MPI_UINT64_T, root, get()));
    std::string result = rank() == root ? text : std::string(length, ' ');
    detail::mpi_call("MPI_Bcast", MPI_Bcast(result.data(), static_cast<int>(length), MPI_CHAR, root, get()));
    return result;
  }

  /// Throws Error on all ranks, "what: rank 3 has others than rank 0", where values differ. Ranks have as many.
  void require_same(const std::string& what, std::span<const std::uint64_t> values) const {
    int const other = first_other(values);
    if (other < size()) throw Error(what + ": rank " + std::to_string(other) + " has others than rank 0");
  }
  /// The lowest rank that has other values than rank 0; size() where there is none. Ranks have as many.
  int first_other(std::span<const std::uint64_t> values) const {
    auto const all = gather(values);
    for (int other = 1; other < size(); ++other) {
      auto const theirs = std::span(all).subspan(detail::as_size(other) * values.size(), values.size());
      if (!std::ranges::equal(theirs, std::span(all).first(values.size()))) return other;
    }
    return size();
  }

  /// Replaces values by their sums over all ranks, added in the order of the ranks: all ranks have the same bits, in
  /// every run. Each rank gets all that is added, so that the cost grows with the number of ranks.
  void sum(std::span<double> values) const {
    std::vector<double> parts(detail::as_size(size()) * values.size());
    sum(values, parts);
  }
  /// The same without an allocation: `parts` has size() times as many values.
  void sum(std::span<double> values, std::span<double> parts) const {
    join(values, parts, [](double a, double b) { return a + b; });
  }
  /// The same of another function of two numbers than their sum, in the order of the ranks.
  template <std::invocable<double, double> Join>
  void join(std::span<double> values, std::span<double> parts, const Join& join) const {
    auto const count = static_cast<int>(values.size());
    detail::mpi_call("MPI_Allgather",
                     MPI_Allgather(values.data(), count, MPI_DOUBLE, parts.data(), count, MPI_DOUBLE, get()));
    for (std::size_t v = 0; v < values.size(); ++v) {
      values[v] = parts[v];
      for (std::size_t other = 1; other < detail::as_size(size()); ++other) {
        values[v] = join(values[v], parts[other * values.size() + v]);
      }
    }
  }

  /// Whether both are copies of one.
  friend bool operator==(const Communicator&, const Communicator&) = default;

 private:
  class State {
   public:
    explicit State(MPI_Comm communicator) {
      require(detail::mpi_runs(), "Communicator: MPI is not initialized, or has been finalized");
      require(communicator != MPI_COMM_NULL, "Communicator: it is MPI_COMM_NULL, as a communicator that was freed");
      int between_groups = 0;
      detail::mpi_call("MPI_Comm_test_inter", MPI_Comm_test_inter(communicator, &between_groups));
      require(between_groups == 0, "Communicator: it is an inter-communicator, expected one of ranks of one group");
      detail::mpi_call("MPI_Comm_dup", MPI_Comm_dup(communicator, &m_communicator));
      detail::mpi_call("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(m_communicator, MPI_ERRORS_RETURN));
      detail::mpi_call("MPI_Comm_rank", MPI_Comm_rank(m_communicator, &m_rank));
      detail::mpi_call("MPI_Comm_size", MPI_Comm_size(m_communicator, &m_size));
    }
    ~State() {
      if (detail::mpi_runs()) MPI_Comm_free(&m_communicator);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    MPI_Comm m_communicator = MPI_COMM_NULL;
    int m_rank = 0;
    int m_size = 0;
  };

  template <class Function>
  static std::string error_of(const Function& function) {
    try {
      function();
      return {};
    } catch (const std::exception& error) {
      std::string const text = error.what();
      return text.empty() ? "an exception without a text" : text;
    } catch (...) {
      return "an exception that is no std::exception";
    }
  }

  std::vector<std::uint64_t> gather(std::span<const std::uint64_t> values) const {
    std::vector<std::uint64_t> all(detail::as_size(size()) * values.size());
    auto const count = static_cast<int>(values.size());
    detail::mpi_call("MPI_Allgather",
                     MPI_Allgather(values.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, get()));
    return all;
  }

  std::shared_ptr<const State> m_state;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
