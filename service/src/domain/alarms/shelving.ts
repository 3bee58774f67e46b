/** A time for which an alarm notifies nobody. */
export type Shelving = Readonly<{
  startsAt: number
  endsAt: number
  comment: string
  sponsor: string
  /** When it ended before its time. */
  endedAt: number | null
}>

/** Whether a shelving covers an instant; its end is excluded. */
export const covers = ({ startsAt, endsAt, endedAt }: Shelving, instant: number): boolean =>
  instant >= startsAt && instant < (endedAt ?? endsAt)

/** When the shelving ends that covers an instant; undefined without one. */
export const shelvedUntil = (
  shelvings: readonly Shelving[] | undefined,
  instant: number,
): number | undefined => shelvings?.find((one) => covers(one, instant))?.endsAt

type Transition = Readonly<{
  isEscalation: boolean
  isEnd: boolean
  isLate: boolean
  /** The instant at which it was stored. */
  createdAt: number
}>

/** What a shelving means for a transition. */
export type ShelvingEffect = Readonly<{
  /** The shelving that keeps it from being notified. */
  suppressedBy: Shelving | undefined
  /** Why the shelving ends with it. */
  ends: 'escalation' | 'close' | undefined
}>

/**
 * A transition is not notified where the alarm was shelved when it came, or is by now: somebody has
 * seen the alarm. An escalation of a shelved alarm is news to them: it ends the shelving and is notified.
 */
export function shelvingEffect(
  shelvings: readonly Shelving[],
  { isEscalation, isEnd, isLate, createdAt }: Transition,
  now: number,
): ShelvingEffect {
  const before = shelvings.find((one) => covers(one, createdAt))
  if (before !== undefined && isEscalation && !isLate)
    return { suppressedBy: undefined, ends: 'escalation' }
  const suppressedBy = before ?? shelvings.find((one) => covers(one, now))
  return { suppressedBy, ends: suppressedBy !== undefined && isEnd ? 'close' : undefined }
}
