/** The interface's states: 0 new, 1 repeated, 2 level raised, 3 cleared by itself, 4 confirmed. */
export type AlarmState = 0 | 1 | 2 | 3 | 4

/** Where a source stands for one alarm type; `none` is a source that never had an alarm of it. */
export type Phase = 'none' | 'new' | 'repeated' | 'raised' | 'cleared' | 'confirmed'

/**
 * What an event is, once it has been held against the alarm so far:
 *
 * - `violation`: over a limit at an instant after the last that counted, at the alarm's level or milder;
 *   `worse`: the same at a worse level.
 * - `correction`: at an instant that has counted already, worse than the alarm is.
 * - `known`: nothing that is not known, or too late to matter.
 * - `near`: over no limit, not far enough back either.
 * - `calm`: far enough back; `last`: calm for the last time that is needed; `held`: the same, of
 *   an alarm that only a person may end.
 * - `confirm`: a person has seen it.
 */
export type Input =
  'violation' | 'worse' | 'correction' | 'known' | 'near' | 'calm' | 'last' | 'held' | 'confirm'

/** What happens to the numbers of an alarm. */
export type Effect = 'nothing' | 'open' | 'count' | 'raise' | 'startOver' | 'countCalm' | 'close'

/** The state that follows, written down as a step or, with `null`, left as it is. */
export type Transition = Readonly<{ to: AlarmState | null; effect: Effect }>

const STAY: Transition = { to: null, effect: 'nothing' }
const OPEN: Transition = { to: 0, effect: 'open' }

const WHILE_CLOSED: Readonly<Record<Input, Transition>> = {
  violation: OPEN,
  worse: OPEN,
  correction: STAY,
  known: STAY,
  near: STAY,
  calm: STAY,
  last: STAY,
  held: STAY,
  confirm: STAY,
}

const WHILE_OPEN: Readonly<Record<Input, Transition>> = {
  violation: { to: 1, effect: 'count' },
  worse: { to: 2, effect: 'count' },
  correction: { to: 2, effect: 'raise' },
  known: STAY,
  near: { to: null, effect: 'startOver' },
  calm: { to: null, effect: 'countCalm' },
  last: { to: 3, effect: 'close' },
  held: { to: null, effect: 'countCalm' },
  confirm: { to: 4, effect: 'close' },
}

/** What every input does in every phase. */
export const LIFE: Readonly<Record<Phase, Readonly<Record<Input, Transition>>>> = Object.freeze({
  none: WHILE_CLOSED,
  new: WHILE_OPEN,
  repeated: WHILE_OPEN,
  raised: WHILE_OPEN,
  cleared: WHILE_CLOSED,
  confirmed: WHILE_CLOSED,
})

const PHASES = ['new', 'repeated', 'raised', 'cleared', 'confirmed'] as const

export function phaseOf(state: AlarmState | undefined): Phase {
  return state === undefined ? 'none' : PHASES[state]
}
