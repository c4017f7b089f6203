// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps of block CSR on CUDA (include/hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp): warps draw tickets, two ahead of
// the one that they work on, wait for values of rows with lower tickets, and store theirs. A sweep stores into one of
// two arrays and takes what is in the other one out of it; which one is which changes from sweep to sweep. Rows depend on
// any rows with lower tickets. Any number of warps, one included, is resident at a time; the others start when those
// have ended. Sweeps follow one another in a stream.
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_ANY_ORDER   a row depends on one with a higher ticket
//   FAULT_NEXT_FIRST  a warp works on the ticket first that it has drawn last
//   FAULT_NO_TICKETS  warps have tickets by their own numbers
//   FAULT_NO_VACANCY  values stay in the other array
//   FAULT_NO_TURN     all sweeps store into the same array
//   FAULT_EARLY_RESET the first warp to leave makes the words ready
//   FAULT_NO_RESET    nobody does

#define VACANT 0

// Whether row t waits for row s, for all pairs.
bool depends[TICKETS * TICKETS];

// The words.
byte ticket;
byte finished;
bit turn;

// What is in the arrays: the number of a sweep, from 1 on.
byte values[2 * TICKETS];
bool computed[TICKETS];

byte launch = 1;
byte free_places;  // of warps that may be resident
byte ended;        // warps of this launch

inline draw(into) {
#ifdef FAULT_NO_TICKETS
  into = given;
  given = given + WARPS
#else
  atomic {
    into = ticket;
    ticket++
  }
#endif
}

inline run_row(row) {
  other_row = 0;
  do
  :: other_row < TICKETS ->
    if
    :: depends[row * TICKETS + other_row] ->
      values[own * TICKETS + other_row] != VACANT;
      assert(values[own * TICKETS + other_row] == launch)
    :: else
    fi;
    other_row++
  :: else -> break
  od;
  atomic {
    assert(!computed[row]);
    computed[row] = true;
    values[own * TICKETS + row] = launch;
    other_row = 0
  };
#ifndef FAULT_NO_VACANCY
  values[(1 - own) * TICKETS + row] = VACANT
#else
  skip
#endif
}

proctype warp(byte given) {
  byte present, next, drawn, other_row, left_before;
  bit own;
  atomic { free_places > 0 -> free_places-- };
  own = turn;
  draw(present);
  draw(next);
  do
  :: present < TICKETS ->
    draw(drawn);
#ifdef FAULT_NEXT_FIRST
    if
    :: next < TICKETS -> run_row(next)
    :: else
    fi;
    run_row(present);
    present = drawn;
    draw(next)
#else
    run_row(present);
    present = next;
    next = drawn
#endif
  :: else -> break
  od;
  atomic { left_before = finished; finished++ };
#ifdef FAULT_EARLY_RESET
  if
  :: left_before == 0 ->
#elif defined(FAULT_NO_RESET)
  if
  :: false ->
#else
  if
  :: left_before == WARPS - 1 ->
#endif
    ticket = 0;
    finished = 0;
#ifndef FAULT_NO_TURN
    turn = 1 - own
#else
    skip
#endif
  :: else
  fi;
  atomic { free_places++; ended++ }
}

inline choose_rows() {
  row = 0;
  do
  :: row < TICKETS ->
    other = 0;
    do
#ifdef FAULT_ANY_ORDER
    :: other < TICKETS && other != row -> depends[row * TICKETS + other] = true; other++
    :: other < TICKETS && other == row -> other++
#else
    :: other < row -> depends[row * TICKETS + other] = true; other++
    :: other < row -> other++
#endif
    :: other >= row && other >= TICKETS -> break
#ifndef FAULT_ANY_ORDER
    :: other >= row && other < TICKETS -> other++
#endif
    od;
    row++
  :: else -> break
  od
}

init {
  byte row, other, w;
  atomic {
    choose_rows();
    free_places = 1;
    do
    :: free_places < WARPS -> free_places++
    :: true -> break
    od
  };
  do
  :: launch <= LAUNCHES ->
    atomic {
      ended = 0;
      w = 0;
      do
      :: w < WARPS -> run warp(w); w++
      :: else -> break
      od
    };
    atomic {
      ended == WARPS;
      assert(ticket == 0 && finished == 0);
      row = 0;
      do
      :: row < TICKETS ->
        assert(computed[row]);
        computed[row] = false;
        row++
      :: else -> break
      od;
      row = 0; w = 0; other = 0;
      launch++
    }
  :: else -> break
  od
}
