// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of MPI between ranks that go through the stages of factorizations and solves together
// (include/hyperplane/blocks/detail/coupled_blocks.hpp, include/hyperplane/mpi/detail/colours_of_ranks.hpp). In which
// stages a rank has a message for another is anything at all. Between two ranks messages are taken in the order in which they
// were sent, by receives in the order in which these were started; a message is not sent before its receive has been
// started. What a rank does between two waits is one step.
//
// explore.py gives the sizes, CIRCLE, with which a rank has messages for the next one alone, and one of the faults, with which SPIN has to refuse the model:
//   FAULT_AWAIT_FIRST     a rank awaits the messages of a stage before it sends its own
//   FAULT_ORDER           messages of the backward sweep are expected in the order of the stages
//   FAULT_EXPECT_LATE     receives are started after a stage, and it is waited there for what is sent
//   FAULT_SILENT_ERROR    a rank that has an error sends no more, but awaits

#define PAIRS (RANKS * RANKS)
#define PAIR(from, to) ((from) * RANKS + (to))
#define MOST (OPERATIONS * 2 * STAGES)
#define KEY(backwards, stage) (operation * 2 * STAGES + (backwards) * STAGES + (stage) + 1)
#define IS_SOLVE ((SOLVES >> operation) & 1)
// Nobody has messages for itself, nor upwards after the last stage, nor downwards after the first one.
#ifdef CIRCLE
#define MEET(from, to) ((to) == ((from) + 1) % RANKS)
#else
#define MEET(from, to) ((to) != (from))
#endif
#define CAN_HAVE(backwards, pair, stage) \
  (MEET((pair) / RANKS, (pair) % RANKS) && ((backwards) -> SOLVES > 0 && (stage) > 0 : (stage) < STAGES - 1))
#define HAS(backwards, from, to, stage) messages[((backwards) * PAIRS + PAIR(from, to)) * STAGES + (stage)]

bool messages[2 * PAIRS * STAGES];
byte keys[PAIRS * MOST];    // of what was sent
byte wanted[PAIRS * MOST];  // of what receives are for
byte sent[PAIRS];
byte expected[PAIRS];
byte taken[PAIRS];
byte agreed[OPERATIONS];

#define FOR_OTHERS(body) \
  other = 0; \
  do \
  :: other < RANKS -> \
    if \
    :: other != self -> body \
    :: else \
    fi; \
    other++ \
  :: else -> break \
  od

inline expect(backwards, at) {
  if
  :: HAS(backwards, other, self, at) ->
    d_step {
      wanted[PAIR(other, self) * MOST + expected[PAIR(other, self)]] = KEY(backwards, at);
      expected[PAIR(other, self)]++
    }
  :: else
  fi
}
inline send(backwards, at) {
  if
#ifdef FAULT_SILENT_ERROR
  :: HAS(backwards, self, other, at) && !has_error ->
#else
  :: HAS(backwards, self, other, at) ->
#endif
    d_step {
      keys[PAIR(self, other) * MOST + sent[PAIR(self, other)]] = KEY(backwards, at);
      sent[PAIR(self, other)]++
    }
  :: else
  fi
}
inline await(backwards, at) {
  if
  :: HAS(backwards, other, self, at) ->
    sent[PAIR(other, self)] > taken[PAIR(other, self)];
    d_step {
      assert(expected[PAIR(other, self)] > taken[PAIR(other, self)]);
      assert(keys[PAIR(other, self) * MOST + taken[PAIR(other, self)]] == KEY(backwards, at));
      assert(wanted[PAIR(other, self) * MOST + taken[PAIR(other, self)]] == KEY(backwards, at));
      taken[PAIR(other, self)]++
    }
  :: else
  fi
}
inline wait_for_sent() { expected[PAIR(self, other)] >= sent[PAIR(self, other)] }

inline exchange(backwards, stage) {
#ifdef FAULT_EXPECT_LATE
  atomic { FOR_OTHERS(send(backwards, stage)) };
  atomic { FOR_OTHERS(wait_for_sent()) };
  atomic { FOR_OTHERS(expect(backwards, stage)) };
  atomic { FOR_OTHERS(await(backwards, stage)) }
#else
#ifdef FAULT_AWAIT_FIRST
  atomic { FOR_OTHERS(await(backwards, stage)) };
  atomic { FOR_OTHERS(send(backwards, stage)) }
#else
  atomic { FOR_OTHERS(send(backwards, stage)) };
  atomic { FOR_OTHERS(await(backwards, stage)) }
#endif
#endif
}

inline expect_all() {
  stage = 0;
  do
  :: stage < STAGES -> FOR_OTHERS(expect(0, stage)); stage++
  :: else -> break
  od;
  do
  :: stage > 0 && IS_SOLVE ->
    stage--;
#ifdef FAULT_ORDER
    FOR_OTHERS(expect(1, STAGES - 1 - stage))
#else
    FOR_OTHERS(expect(1, stage))
#endif
  :: else -> break
  od
}

proctype rank(byte self) {
  byte operation, stage, other;
#ifdef FAULT_SILENT_ERROR
  bool has_error;
#endif
  do
  :: operation < OPERATIONS ->
#ifndef FAULT_EXPECT_LATE
    atomic { expect_all() };
#endif
    stage = 0;
    do
    :: stage < STAGES ->
#ifdef FAULT_SILENT_ERROR
      if
      :: has_error = true
      :: skip
      fi;
#endif
      exchange(0, stage);
      stage++
    :: else -> break
    od;
    do
    :: stage > 0 && IS_SOLVE -> stage--; exchange(1, stage)
    :: else -> break
    od;
    atomic { FOR_OTHERS(wait_for_sent()) };
    if
    :: !IS_SOLVE -> agreed[operation]++; agreed[operation] == RANKS
    :: else
    fi;
    operation++
  :: else -> break
  od
}

init {
  byte number;
  atomic {
    do
    :: number < 2 * PAIRS * STAGES ->
      if
      :: CAN_HAVE(number / (PAIRS * STAGES), number / STAGES % PAIRS, number % STAGES) -> messages[number] = true
      :: true
      fi;
      number++
    :: else -> break
    od;
    number = 0;
    do
    :: number < RANKS -> run rank(number); number++
    :: else -> break
    od
  }
}
