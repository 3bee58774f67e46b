import { formatIntervals, parseIntervals } from './interval.ts'
import type { LimitSource } from './day-parts.ts'
import { isMoreSevere, type Hysteresis, type Severity } from './alarm-settings.ts'

/** The code of a value that is over no limit, but within the deadband of one. */
export const IN_DEADBAND = -1
const NORMAL = 0
/** With fewer edges than this a linear search is faster than a binary one. */
const FEW_EDGES = 8

/** A level and the interval that stands for it, as in `threshold (20,+)`. */
export type Mark = Readonly<{ level: number; limit: string }>

/** A range between two limits, itself over none. */
export type Gap = Readonly<{ low: number; high: number }>

type LimitBand = Mark & { low: number; high: number; hysteresis: Hysteresis | undefined }

/**
 * The line of numbers, cut at every limit into single points and the open ranges between them,
 * each with what a value there is: over the limit of a mark, within a deadband, or normal.
 */
export class ValueLine {
  /** Ascending, with an infinity at the end so that a search stops. */
  readonly #edges: Float64Array
  /** Of the range below the first edge, of that edge, of the range above it, and so on. */
  readonly #codes: Int32Array
  readonly #marks: readonly Mark[]
  /** Ranges over no limit in which the deadband leaves no normal value, so that alarms cannot be cleared. */
  readonly closedGaps: readonly Gap[]

  constructor(edges: number[], codes: number[], marks: readonly Mark[], closedGaps: Gap[]) {
    this.#edges = Float64Array.from([...edges, Infinity])
    this.#codes = Int32Array.from(codes)
    this.#marks = marks
    this.closedGaps = closedGaps
  }

  /** `IN_DEADBAND`, 0 for a normal value, or the number of a mark; of a finite value. */
  codeOf(value: number): number {
    const edges = this.#edges
    let index = 0
    for (let end = edges.length - 1; end - index > FEW_EDGES;) {
      const middle = (index + end) >> 1
      if (value > edges[middle]!) index = middle + 1
      else end = middle
    }
    while (value > edges[index]!) index++
    return this.#codes[value === edges[index] ? 2 * index + 1 : 2 * index]!
  }

  mark(code: number): Mark {
    return this.#marks[code - 1]!
  }
}

/**
 * Both ends of an interval are over the limit, whatever its brackets: the interface lets `(X,+)`
 * fire at X, and each end is where danger begins for a value that comes from that side. Where
 * intervals meet or overlap, the worst level holds.
 */
export function compileValueLine(sources: readonly LimitSource[], severity: Severity): ValueLine {
  const bands = sources.flatMap(bandsOf)
  const ends = bands.flatMap(({ low, high }) => [low, high]).filter(Number.isFinite)
  const points = [...new Set(ends)].toSorted((a, b) => a - b)
  const worst = worstCodes(bands, points, severity)
  const hysteresisAt = (place: number) => bands[(worst[place] ?? NORMAL) - 1]?.hysteresis

  const edges: number[] = []
  const codes: number[] = []
  const closedGaps: Gap[] = []
  for (let index = 0; index <= points.length; index++) {
    const low = points[index - 1] ?? -Infinity
    const high = points[index] ?? Infinity
    const place = 2 * index
    if (worst[place] !== NORMAL) codes.push(worst[place]!)
    else {
      const gap = cutGap({ low, high }, hysteresisAt(place - 1), hysteresisAt(place + 1))
      edges.push(...gap.edges)
      codes.push(...gap.codes)
      if (!gap.codes.includes(NORMAL)) closedGaps.push({ low, high })
    }
    if (index === points.length) break
    edges.push(high)
    codes.push(worst[place + 1]!)
  }
  const marks = bands.map(({ level, limit }) => ({ level, limit }))
  return new ValueLine(edges, codes, marks, closedGaps)
}

/**
 * The worst band at each place, as its number from 1, or 0: of the range below the first point, of
 * that point, of the range above it, and so on.
 *
 * The worst are laid first and each place is laid once, so the work grows with bands and points
 * alone, not with how much of each other they cover.
 */
function worstCodes(
  bands: readonly LimitBand[],
  points: readonly number[],
  severity: Severity,
): Int32Array {
  const placeOf = new Map(points.map((point, index) => [point, 2 * index + 1]))
  const last = 2 * points.length
  const codes = new Int32Array(last + 1)
  /** From each place on, the next one that is free, perhaps after some steps. */
  const nextFree = Int32Array.from({ length: last + 2 }, (_, place) => place)
  const findFree = (from: number): number => {
    let place = from
    while (nextFree[place] !== place) {
      nextFree[place] = nextFree[nextFree[place]!]!
      place = nextFree[place]!
    }
    return place
  }

  const byLevel = bands.map((band, index) => ({ ...band, code: index + 1 }))
  const worstFirst = byLevel.toSorted((a, b) => compareLevels(a.level, b.level, severity))
  for (const { low, high, code } of worstFirst) {
    const end = placeOf.get(high) ?? last
    for (let place = findFree(placeOf.get(low) ?? 0); place <= end; place = findFree(place)) {
      codes[place] = code
      nextFree[place] = place + 1
    }
  }
  return codes
}

const compareLevels = (a: number, b: number, severity: Severity): number =>
  isMoreSevere(a, b, severity) ? -1 : isMoreSevere(b, a, severity) ? 1 : 0

/** A range over no limit: a deadband at its finite ends, normal values in between. */
function cutGap(
  gap: Gap,
  below: Hysteresis | undefined,
  above: Hysteresis | undefined,
): { edges: number[]; codes: number[] } {
  const normalFrom = gap.low + (gap.low === -Infinity ? 0 : marginOf(below, gap, gap.low))
  const normalTo = gap.high - (gap.high === Infinity ? 0 : marginOf(above, gap, gap.high))
  if (normalFrom > normalTo) return { edges: [], codes: [IN_DEADBAND] }
  if (normalFrom === normalTo) {
    const isInside = normalFrom > gap.low && normalTo < gap.high
    return isInside
      ? { edges: [normalTo], codes: [IN_DEADBAND, NORMAL, IN_DEADBAND] }
      : { edges: [], codes: [IN_DEADBAND] }
  }
  const low = normalFrom > gap.low ? { edges: [normalFrom], codes: [IN_DEADBAND, NORMAL] } : NO_CUT
  const high = normalTo < gap.high ? { edges: [normalTo], codes: [NORMAL, IN_DEADBAND] } : NO_CUT
  return { edges: [...low.edges, ...high.edges], codes: [...low.codes, NORMAL, ...high.codes] }
}

const NO_CUT: { edges: number[]; codes: number[] } = { edges: [], codes: [] }

/** A percentage is of the band's width or, where that has no other end, of the limit itself. */
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
