// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// host::RowSweep (include/hyperplane/host/row_sweep.hpp): tickets, words that count steps and are shared by tiles far
// from one another, waits for all tiles that are `WINDOW` tickets before, and the last worker to leave, which makes the
// words ready for the next sweep. Each step of a tile needs any steps of
// tiles with lower tickets.
// Several sweeps follow one another, each by a team. Of a team any number of threads, one included, really runs; they
// share the calls of work() in any way.
//
// explore.py gives the sizes, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_ANY_ORDER      a step needs one of a tile with a higher ticket
//   FAULT_NO_WINDOW      a tile does not wait for those that are far before
//   FAULT_WIDE_WINDOW    tiles share words with those of which the window does not say that they have finished
//   FAULT_EARLY_PROGRESS steps are shown before they are computed
//   FAULT_OLD_STEPS      steps are counted from the same number in each sweep
//   FAULT_EARLY_RESET    the first worker to leave makes the words ready
//   FAULT_NO_RESET       nobody does

#define STEPS (LENGTH * TILES)
#ifdef FAULT_WIDE_WINDOW
#define WORDS 1
#else
#define WORDS WINDOW
#endif

// Whether a step needs another one, for all pairs; does not change once it is chosen.
bool needs[STEPS * STEPS];

// The words.
byte ticket;
byte finished_workers;
byte finished_steps;
byte progress[WORDS];

// What has really been computed in this sweep.
bool computed[STEPS];

byte running;  // threads of the team

// Step s is shown as `done` + s + 1.
#define SHOWN(step) (done + (step) + 1)
#define WORD(tile) ((tile) % WORDS)

inline run_tile() {
#ifndef FAULT_NO_WINDOW
  other = 0;
  do
  :: other + WINDOW <= tile -> progress[WORD(other)] >= SHOWN(LENGTH * other + LENGTH - 1); other++
  :: else -> break
  od;
#endif
  step = LENGTH * tile;
  do
  :: step < LENGTH * (tile + 1) ->
    other = 0;
    do
    :: other < STEPS ->
      if
      :: needs[step * STEPS + other] && other / LENGTH != tile && other / LENGTH + WINDOW > tile ->
        progress[WORD(other / LENGTH)] >= SHOWN(other)
      :: else
      fi;
      other++
    :: else -> break
    od;
#ifdef FAULT_EARLY_PROGRESS
    progress[WORD(tile)] = SHOWN(step);
#endif
    // It has not been computed yet, and all that it needs has.
    atomic {
      assert(!computed[step]);
      other = 0;
      do
      :: other < STEPS -> assert(!needs[step * STEPS + other] || computed[other]); other++
      :: else -> break
      od;
      computed[step] = true;
      other = 0
    };
#ifndef FAULT_EARLY_PROGRESS
    progress[WORD(tile)] = SHOWN(step);
#endif
    step++
  :: else -> break
  od
}

inline work() {
  done = finished_steps;
  do
  :: true ->
    atomic { tile = ticket; ticket++ };
    if
    :: tile < TILES -> run_tile()
    :: else -> break
    fi
  od;
  // What a call had at hand is nothing to the next.
  atomic {
    left_before = finished_workers;
    finished_workers++;
    tile = 0; step = 0; other = 0
  };
#ifdef FAULT_EARLY_RESET
  if
  :: left_before == 0 ->
#elif defined(FAULT_NO_RESET)
  if
  :: false ->
#else
  if
  :: left_before == WORKERS - 1 ->
#endif
    ticket = 0;
    finished_workers = 0;
#ifndef FAULT_OLD_STEPS
    finished_steps = done + STEPS
#else
    skip
#endif
  :: else
  fi;
  done = 0
}

// A thread that really runs, with as many of the calls of work() as have fallen to it.
proctype thread(byte calls) {
  byte tile, step, other, done, left_before;
  do
  :: calls > 0 -> work(); calls--
  :: else -> break
  od;
  running--
}

// Any needs of lower tiles; steps of a tile follow one another.
inline choose_needs() {
  step = 0;
  do
  :: step < STEPS ->
    other = 0;
    do
#ifdef FAULT_ANY_ORDER
    :: other < STEPS ->
      if
      :: other / LENGTH != step / LENGTH -> needs[step * STEPS + other] = true
      :: true
      fi;
      other++
#else
    :: other < LENGTH * (step / LENGTH) ->
      if
      :: needs[step * STEPS + other] = true
      :: true
      fi;
      other++
#endif
    :: else -> break
    od;
    step++
  :: else -> break
  od
}

inline sweep_as_team() {
  calls_left = WORKERS;
  do
  :: calls_left > 0 ->
    // Any number of calls for each thread.
    calls = 1;
    do
    :: calls < calls_left -> calls++
    :: true -> break
    od;
    running++;
    calls_left = calls_left - calls;
    run thread(calls)
  :: else -> break
  od;
  running == 0
}

// Everything is computed, once, and the words are ready for the next sweep.
inline check_sweep() {
  assert(ticket == 0 && finished_workers == 0);
  step = 0;
  do
  :: step < STEPS ->
    assert(computed[step]);
    computed[step] = false;
    step++
  :: else -> break
  od
}

init {
  byte sweep, calls_left, calls, step, other;
  atomic { choose_needs(); step = 0; other = 0 };
  do
  :: sweep < SWEEPS ->
    atomic { sweep_as_team() };
    atomic { check_sweep(); step = 0; calls = 0 };
    sweep++
  :: else -> break
  od
}
