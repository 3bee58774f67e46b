import { applyEvent } from './alarm-lifecycle.ts'
import type { AlarmState, TransitionDetail } from './alarm-state.ts'

export type Applied = {
  state: AlarmState | null
  detail: TransitionDetail | null
  isNew: boolean
  isLate: boolean
}

/** A transition with everything in it; the state is the very object given where nothing changed. */
export function apply(...given: Parameters<typeof applyEvent>): Applied {
  const transition = applyEvent(...given)
  if (transition.kind === 'none')
    return { state: given[0], detail: null, isNew: false, isLate: false }
  const { kind, state, isLate } = transition
  const detail = kind === 'offDelay' ? null : transition.detail
  return { state, detail, isNew: kind === 'raised', isLate }
}
