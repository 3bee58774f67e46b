/**
 * The instant in milliseconds at which a clock of a zone shows a local time, `2026-11-25 08:00:00`. Of two
 * such instants it is the first; for a time that a change of the clocks skips, the one that follows.
 */
export function instantOf(local: string, timeZone: string): number {
  const asUtc = Date.parse(`${local.replace(' ', 'T')}Z`)
  const DAY = 86_400_000
  const offsets = [asUtc - DAY, asUtc + DAY].map((near) => offsetAt(near, timeZone))
  const [before, after] = offsets as [number, number]
  const early = asUtc - Math.max(before, after)
  return offsetAt(early, timeZone) === Math.max(before, after)
    ? early
    : asUtc - Math.min(before, after)
}

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
function offsetAt(instant: number, timeZone: string): number {
  const local = Date.parse(`${formatIn(instant, timeZone).replace(' ', 'T')}Z`)
  return local - Math.floor(instant / 1000) * 1000
}

/** An instant as a clock of a zone shows it. */
export function formatIn(instant: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    timeZone,
  })
  return format.format(instant)
}
