// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/stages.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/function_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Couplings by colours to grid blocks of other processes, and how values come from there: what ColouredCouplings needs
/// where a process has some of the grid blocks. Colours are those of all processes, 0, 1, ... without gaps.
///
/// All processes go through the stages of all grid blocks: each of them calls the functions that send and await values
/// for each stage. None waits for more than the messages of the stages before. Coefficients are brought where
/// neighbours subtract from diagonal blocks; elsewhere there are no reverses, and nothing to connect().
template <class Scalar, ExecutionSpace Exec, class Storage>
class RemoteColours {
 public:
  using Values = Kokkos::View<Storage*, typename Exec::memory_space>;

  virtual ~RemoteColours() = default;

  virtual int colours() const = 0;
  /// Those of this process's grid blocks, among the stages of all.
  virtual const Stages& stages() const = 0;
  /// rises_along_axes() of all grid blocks and their colours.
  virtual bool rise_along_axes() const = 0;
  /// Couplings of this process's points of a colour to those of lower, or of higher ones. Donors are ghost values,
  /// whose SIMD groups are counted on from those of this process. To lower colours, the reverses are places in
  /// reverses().
  virtual std::vector<FaceCouplingEntry> lower(int colour) const = 0;
  virtual std::vector<FaceCouplingEntry> upper(int colour) const = 0;
  /// The reverses of couplings to lower colours, which other processes have. `donor` is this process's point.
  virtual const std::vector<FaceCoupling>& reverses() const = 0;
  /// Where the coefficients of couplings to higher colours will be, in the order of the list; those of the reverses
  /// come after it. `begin` has the first point of each colour. Waits for the instance.
  virtual void connect(const Exec& exec, const FaceCouplingList& upper, const std::vector<std::size_t>& begin,
                       const Values& values) = 0;

  /// Calls the function. Where it throws in a process, all throw.
  virtual void agree(FunctionRef<> function) const = 0;
  /// Bring the coefficients that other processes need for their diagonal blocks. First they are expected, of all
  /// stages. After a stage its coefficients are handed over and sent, then awaited and taken over; in the end it is
  /// waited for that all have been sent. Handing over and taking over may find that the device has failed: messages
  /// are then sent all the same, or not before all processes agree() that there was no error, so that none waits for
  /// another that has one. Handing over waits for the instance, but where devices alone wait for one another.
  virtual void expect_coefficients() const = 0;
  virtual void hand_over_coefficients(const Exec& exec, int stage) const = 0;
  virtual void exchange_coefficients(const Exec& exec, int stage) const = 0;
  virtual void take_over_coefficients(const Exec& exec, int stage) const = 0;
  virtual void finish_coefficients() const = 0;
  /// Bring what a solve has computed: after the forward, or the backward sweep of a stage its values are sent to the
  /// processes with higher, or lower colours, and awaited from the others. Before the first stage all are expected, and
  /// in the end it is waited for that all have been sent.
  virtual void expect_values() const = 0;
  virtual void send_forward(const Exec& exec, int stage, Scalar* x) const = 0;
  virtual void await_forward(const Exec& exec, int stage) const = 0;
  virtual void send_backward(const Exec& exec, int stage, Scalar* x) const = 0;
  virtual void await_backward(const Exec& exec, int stage) const = 0;
  virtual void finish_values() const = 0;
  virtual Scalar* ghosts() const = 0;

  /// To which colours values go.
  enum class Colours { lower, higher };
  /// What this process gives to points of others in solves with the transpose, of each stage: values for as many
  /// couplings, interleaved as vectors are, of which `donor` is this process's point or no_point. Kernels write them
  /// where there is room, and send_given() sends them to where ghost values of the other sweeps are awaited.
  virtual const std::vector<FaceCoupling>& given_to(Colours colours, int stage) const = 0;
  virtual Scalar* room_to_give(Colours colours, int stage) const = 0;
  virtual void send_given(const Exec& exec, Colours colours, int stage) const = 0;

  /// lower(), upper(), reverses() and given_to() go: when all who read them, once each, have what they want.
  virtual void forget_lists() = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
