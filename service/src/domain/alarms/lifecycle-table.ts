/** The interface's states: 0 new, 1 repeated, 2 escalated, 3 cleared, 4 confirmed. */
export type AlarmStateCode = 0 | 1 | 2 | 3 | 4

/** A record over a limit: its instant, the level of the worst violation, and what it is about. */
export type ViolationInput = Readonly<{
  time: number
  level: number
  items: readonly string[]
  content: string
}>

/**
 * What an event is to the alarm so far:
 *
 * - `violation`: over a limit at an instant after the last that counted, at the alarm's level or milder;
 *   `escalation`: the same at a more severe level.
 * - `correction`: at an instant that has counted already, more severe than the alarm is.
 * - `stale`: known already, or too late to matter.
 * - `deadband`: over no limit, but within the deadband.
 * - `normal`: outside the deadband; `returnToNormal`: normal for the last time that the off-delay asks
 *   for; `latched`: the same, of an alarm that only a person may close.
 * - `confirmation`: a person has seen it.
 */
export type AlarmInput =
  | Readonly<{ kind: 'violation' | 'escalation' | 'correction'; violation: ViolationInput }>
  | Readonly<{ kind: 'normal' | 'returnToNormal' | 'latched' | 'confirmation'; time: number }>
  | Readonly<{ kind: 'deadband' | 'stale' }>

type Nothing = Readonly<{ effect: 'none' }>

/** What an input does to a source without an open alarm of the type. */
export type ClosedAction =
  Nothing | Readonly<{ effect: 'raise'; stateCode: 0; violation: ViolationInput }>

/** What an input does to an open alarm; one with a state code is a transition. */
export type OpenAction =
  | Nothing
  | Readonly<{ effect: 'count'; stateCode: 1 | 2; violation: ViolationInput }>
  | Readonly<{ effect: 'escalate'; stateCode: 2; violation: ViolationInput }>
  | Readonly<{ effect: 'countNormal'; time: number }>
  | Readonly<{ effect: 'restartOffDelay' }>
  | Readonly<{ effect: 'close'; stateCode: 3 | 4; time: number }>

const NONE: Nothing = Object.freeze({ effect: 'none' })

/** The table of a source that never had an alarm of the type, or whose newest one is closed. */
export function whileClosed(input: AlarmInput): ClosedAction {
  switch (input.kind) {
    case 'violation':
    case 'escalation':
      return { effect: 'raise', stateCode: 0, violation: input.violation }
    case 'correction':
    case 'stale':
    case 'deadband':
    case 'normal':
    case 'returnToNormal':
    case 'latched':
    case 'confirmation':
      return NONE
  }
}

/** The table of an open alarm: new, repeated and escalated ones alike. */
export function whileOpen(input: AlarmInput): OpenAction {
  switch (input.kind) {
    case 'violation':
      return { effect: 'count', stateCode: 1, violation: input.violation }
    case 'escalation':
      return { effect: 'count', stateCode: 2, violation: input.violation }
    case 'correction':
      return { effect: 'escalate', stateCode: 2, violation: input.violation }
    case 'stale':
      return NONE
    case 'deadband':
      return { effect: 'restartOffDelay' }
    case 'normal':
    case 'latched':
      return { effect: 'countNormal', time: input.time }
    case 'returnToNormal':
      return { effect: 'close', stateCode: 3, time: input.time }
    case 'confirmation':
      return { effect: 'close', stateCode: 4, time: input.time }
  }
}
