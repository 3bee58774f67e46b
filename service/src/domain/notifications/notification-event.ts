import type { AlarmState } from '../alarms/life-table.ts'

/** What happened to an alarm, by the state that its step has. */
export const TELL_EVENTS = ['new', 'repeated', 'raised', 'cleared', 'confirmed'] as const

export type TellEvent = (typeof TELL_EVENTS)[number]

export const eventOf = (state: AlarmState): TellEvent => TELL_EVENTS[state]
