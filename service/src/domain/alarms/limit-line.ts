import { formatIntervals, parseIntervals } from './interval.ts'
import type { LimitSource } from './day-parts.ts'
import { isMoreSevere, type Hysteresis, type Severity } from './alarm-settings.ts'

/** With fewer edges than this a linear search is faster than a binary one. */
const FEW_EDGES = 8

/** A level and the text of the interval that is reached, such as `threshold (20,+)`. */
export type ReachedLimit = Readonly<{ level: number; limit: string }>

/** What a value is to its limits: over one, over none but within a deadband, or normal. */
type LineOutcome = ReachedLimit | 'deadband' | 'normal'

/** A range between two limits that violates none. */
export type Gap = Readonly<{ low: number; high: number }>

type LimitBand = ReachedLimit & { low: number; high: number; hysteresis: Hysteresis | undefined }

/**
 * The line of numbers, divided at every limit into points and the open ranges between them, each
 * with the outcome of a value there.
 */
export class LimitLine {
  /** Ascending, with Infinity at the end so that a search stops. */
  readonly #edges: Float64Array
  /** Of the range below the first edge, of that edge, of the range above it, and so on. */
  readonly #outcomes: readonly LineOutcome[]
  /** Gaps in which the deadband leaves no normal value, so that alarms cannot be cleared. */
  readonly closedGaps: readonly Gap[]

  constructor(edges: readonly number[], outcomes: readonly LineOutcome[], closedGaps: Gap[]) {
    this.#edges = Float64Array.from([...edges, Infinity])
    this.#outcomes = outcomes
    this.closedGaps = closedGaps
  }

  /** Returns the outcome of a finite value. */
  outcomeOf(value: number): LineOutcome {
    const edges = this.#edges
    let index = 0
    for (let end = edges.length - 1; end - index > FEW_EDGES;) {
      const middle = (index + end) >> 1
      if (value > (edges[middle] ?? Infinity)) index = middle + 1
      else end = middle
    }
    while (value > (edges[index] ?? Infinity)) index++
    const outcome = this.#outcomes[value === edges[index] ? 2 * index + 1 : 2 * index]
    if (outcome === undefined) throw new RangeError(`the line of limits has no place for ${value}`)
    return outcome
  }
}

/**
 * Compiles limits to one line.
 *
 * Both ends of an interval violate the limit, whatever its brackets: the interface lets `(X,+)`
 * alarm at X, and each end is where danger begins for a value from that side. Where intervals meet
 * or overlap, the most severe level applies.
 */
export function compileLimitLine(sources: readonly LimitSource[], severity: Severity): LimitLine {
  const bands = sources.flatMap(bandsOf)
  const ends = bands.flatMap(({ low, high }) => [low, high]).filter(Number.isFinite)
  const points = [...new Set(ends)].toSorted((a, b) => a - b)
  const worst = worstBands(bands, points, severity)

  const edges: number[] = []
  const outcomes: LineOutcome[] = []
  const closedGaps: Gap[] = []
  for (let index = 0; index <= points.length; index++) {
    const low = points[index - 1] ?? -Infinity
    const high = points[index] ?? Infinity
    const place = 2 * index
    const band = worst.get(place)
    if (band !== undefined) outcomes.push(limitOf(band))
    else {
      const below = worst.get(place - 1)?.hysteresis
      const above = worst.get(place + 1)?.hysteresis
      const gap = divideGap({ low, high }, below, above)
      edges.push(...gap.edges)
      outcomes.push(...gap.outcomes)
      if (!gap.outcomes.includes('normal')) closedGaps.push({ low, high })
    }
    if (index === points.length) break
    const bandAtEnd = worst.get(place + 1)
    if (bandAtEnd === undefined) throw new RangeError(`no interval ends at ${high}`)
    edges.push(high)
    outcomes.push(limitOf(bandAtEnd))
  }
  return new LimitLine(edges, outcomes, closedGaps)
}

const limitOf = ({ level, limit }: LimitBand): ReachedLimit => ({ level, limit })

/**
 * The most severe band at each place: the range below the first point is place 0, that point 1, the
 * range above it 2, and so on. Places without a band are missing.
 *
 * The most severe bands are laid first and each place is laid once, so the work grows with the
 * numbers of bands and points, not with their overlaps.
 */
function worstBands(
  bands: readonly LimitBand[],
  points: readonly number[],
  severity: Severity,
): Map<number, LimitBand> {
  const placeOf = new Map(points.map((point, index) => [point, 2 * index + 1]))
  const last = 2 * points.length
  const found = new Map<number, LimitBand>()
  /** A later place for each one that is taken, by one or more steps the next free one. */
  const nextFree = Int32Array.from({ length: last + 2 }, (_, place) => place)
  const findFree = (from: number): number => {
    let place = from
    for (;;) {
      const next = nextFree[place] ?? place
      if (next === place) return place
      const afterNext = nextFree[next] ?? next
      nextFree[place] = afterNext
      place = afterNext
    }
  }

  const worstFirst = bands.toSorted((a, b) => compareLevels(a.level, b.level, severity))
  for (const band of worstFirst) {
    const end = placeOf.get(band.high) ?? last
    for (let place = findFree(placeOf.get(band.low) ?? 0); place <= end; place = findFree(place)) {
      found.set(place, band)
      nextFree[place] = place + 1
    }
  }
  return found
}

const compareLevels = (a: number, b: number, severity: Severity): number =>
  isMoreSevere(a, b, severity) ? -1 : isMoreSevere(b, a, severity) ? 1 : 0

type GapParts = Readonly<{ edges: readonly number[]; outcomes: readonly LineOutcome[] }>

const UNDIVIDED: GapParts = { edges: [], outcomes: [] }

/** A gap with a deadband at its finite ends and normal values between them. */
function divideGap(
  gap: Gap,
  below: Hysteresis | undefined,
  above: Hysteresis | undefined,
): GapParts {
  const normalFrom = gap.low + (gap.low === -Infinity ? 0 : marginOf(below, gap, gap.low))
  const normalTo = gap.high - (gap.high === Infinity ? 0 : marginOf(above, gap, gap.high))
  if (normalFrom > normalTo) return { edges: [], outcomes: ['deadband'] }
  if (normalFrom === normalTo) {
    const isInside = normalFrom > gap.low && normalTo < gap.high
    return isInside
      ? { edges: [normalTo], outcomes: ['deadband', 'normal', 'deadband'] }
      : { edges: [], outcomes: ['deadband'] }
  }
  const low: GapParts =
    normalFrom > gap.low ? { edges: [normalFrom], outcomes: ['deadband', 'normal'] } : UNDIVIDED
  const high: GapParts =
    normalTo < gap.high ? { edges: [normalTo], outcomes: ['normal', 'deadband'] } : UNDIVIDED
  return {
    edges: [...low.edges, ...high.edges],
    outcomes: [...low.outcomes, 'normal', ...high.outcomes],
  }
}

/** A percentage is of the gap's width or, in a gap with an open end, of the limit itself. */
function marginOf(hysteresis: Hysteresis | undefined, { low, high }: Gap, edge: number): number {
  if (hysteresis === undefined) return 0
  if ('value' in hysteresis) return hysteresis.value
  const width = high - low
  return (hysteresis.percent / 100) * (Number.isFinite(width) ? width : Math.abs(edge))
}

function bandsOf({ thresholds, hysteresis }: LimitSource): LimitBand[] {
  return thresholds.flatMap(({ level, value }) =>
    parseIntervals(value).map((interval) => {
      const limit = `threshold ${formatIntervals([interval])}`
      return { level, limit, low: interval.low, high: interval.high, hysteresis }
    }),
  )
}
