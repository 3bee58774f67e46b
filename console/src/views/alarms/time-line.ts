import type { AlarmDetail, Shelving } from '@plumbline/client'
import { formatIn } from '../../state/zone-time.ts'

/** The state of an alarm that a person has confirmed, with a comment. */
const CONFIRMED = 4

/** What happened to an alarm; `state` is that of a transition. */
export type Moment = {
  key: string
  time: string
  kind: 'transition' | 'shelved' | 'unshelved'
  state: number
  level: number | undefined
  text: string
  /** Whether a person wrote the text: it stays as it is. */
  isComment: boolean
  /** Undefined: the service itself. */
  who: string | undefined
  /** Why a shelving ended, or until when one lasts. */
  ended?: NonNullable<Shelving['endedBy']>
  until?: string
}

/** The transitions and shelvings of an alarm in one line, the newest first, in the time of the structure. */
export function toTimeLine(
  details: readonly AlarmDetail[],
  shelvings: readonly Shelving[],
  timeZone: string,
): Moment[] {
  const transitions = details.map((detail, index): Moment => ({
    key: `transition ${index}`,
    time: detail.time,
    kind: 'transition',
    state: detail.alarmState,
    level: detail.currentLevel,
    text: detail.content,
    isComment: detail.alarmState === CONFIRMED,
    who: nameOf(detail.sponsor),
  }))
  const shelved = shelvings.flatMap((shelving, index): Moment[] => {
    const from: Moment = {
      key: `shelved ${index}`,
      time: formatIn(shelving.from, timeZone),
      kind: 'shelved',
      state: -1,
      level: undefined,
      text: shelving.comment,
      isComment: true,
      who: nameOf(shelving.sponsor),
      until: formatIn(shelving.until, timeZone),
    }
    if (shelving.endedAt === null || shelving.endedBy === null) return [from]
    const end: Moment = {
      key: `unshelved ${index}`,
      time: formatIn(shelving.endedAt, timeZone),
      kind: 'unshelved',
      state: -1,
      level: undefined,
      text: '',
      isComment: false,
      who: undefined,
      ended: shelving.endedBy,
    }
    return [from, end]
  })
  // Of one second, the transition came first: the sort keeps the order.
  return [...transitions, ...shelved]
    .toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    .toReversed()
}

const nameOf = (sponsor: string): string | undefined =>
  sponsor === 'plumbline' ? undefined : sponsor
