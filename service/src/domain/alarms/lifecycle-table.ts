/** The state codes of the interface: 0 new, 1 repeated, 2 escalated, 3 cleared, 4 confirmed. */
export type AlarmStateCode = 0 | 1 | 2 | 3 | 4

/** A record over a limit: its instant, its most severe level, the items over a limit, its content. */
export type ViolationInput = Readonly<{
  time: number
  level: number
  items: readonly string[]
  content: string
}>

/**
 * An event as seen by the alarm so far:
 *
 * - `violation`: over a limit after the last counted instant, at the alarm's level or a milder one;
 *   `escalation`: the same at a more severe level.
 * - `correction`: at an instant that is counted already, at a more severe level than the alarm.
 * - `stale`: without effect, because it is counted already or too late.
 * - `deadband`: over no limit, but within the deadband.
 * - `normal`: outside the deadband; `returnToNormal`: the normal record that completes the off-delay;
 *   `latched`: the same, for an alarm that only a person may close.
 * - `confirmation`: by a person.
 */
export type AlarmInput =
  | Readonly<{ kind: 'violation' | 'escalation' | 'correction'; violation: ViolationInput }>
  | Readonly<{ kind: 'normal' | 'returnToNormal' | 'latched' | 'confirmation'; time: number }>
  | Readonly<{ kind: 'deadband' | 'stale' }>

type NoAction = Readonly<{ effect: 'none' }>

/** The effect of an input on a source without an open alarm of the type. */
type ClosedAction =
  NoAction | Readonly<{ effect: 'raise'; stateCode: 0; violation: ViolationInput }>

/** The effect of an input on an open alarm; one with a state code is a transition. */
type OpenAction =
  | NoAction
  | Readonly<{ effect: 'count'; stateCode: 1 | 2; violation: ViolationInput }>
  | Readonly<{ effect: 'escalate'; stateCode: 2; violation: ViolationInput }>
  | Readonly<{ effect: 'countNormal'; time: number }>
  | Readonly<{ effect: 'restartOffDelay' }>
  | Readonly<{ effect: 'close'; stateCode: 3 | 4; time: number }>

const NONE: NoAction = Object.freeze({ effect: 'none' })

/** The table of a source that has no alarm of the type, or a closed one. */
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

/** The table of an open alarm: new, repeated or escalated. */
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
