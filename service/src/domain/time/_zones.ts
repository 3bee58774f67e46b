import fc from 'fast-check'

/** Zones whose clocks do what clocks can do: half hours, double hours, skipped days, nothing. */
export const ZONES = [
  'Asia/Shanghai',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  '+08:00',
  'Europe/Berlin',
  'Africa/Casablanca',
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Kathmandu',
  // Changes lie a minute after midnight here, and there two hours are skipped.
  'America/St_Johns',
  'Antarctica/Troll',
  'Pacific/Apia',
  'UTC',
] as const

const FROM = Date.UTC(1880, 0, 1)
const TO = Date.UTC(2060, 0, 1)
const DAY = 86_400_000

const known = new Map<string, number[]>()

/** Every change of offset of a zone in the years that tests draw instants from. */
export function transitions(name: string): number[] {
  const before = known.get(name)
  if (before !== undefined) return before
  const found: number[] = []
  let at = new Temporal.ZonedDateTime(BigInt(FROM) * 1_000_000n, name)
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds > TO) break
    found.push(next.epochMilliseconds)
    at = next
  }
  known.set(name, found)
  return found
}

/** Instants, every other one within two days of a change of offset. */
export function instants(name: string): fc.Arbitrary<number> {
  const anywhere = fc.integer({ min: FROM, max: TO })
  const changes = transitions(name)
  if (changes.length === 0) return anywhere
  const near = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -2 * DAY, max: 2 * DAY }))
    .map(([change, distance]) => change + distance)
  return fc.oneof(anywhere, near, fc.constantFrom(...changes))
}
