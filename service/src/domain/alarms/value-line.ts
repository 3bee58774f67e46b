import { formatIntervals, parseIntervals } from '../interval.ts'
import type { LimitSource } from './day-pieces.ts'
import { isWorse, type Hysteresis, type Severity } from './settings.ts'

/** The code of a value that is over no limit and not yet far enough back from one. */
export const NEAR = -1
const CALM = 0

/** A level and the interval that stands for it, as in `threshold (20,+)`. */
export type Mark = Readonly<{ level: number; limit: string }>

/** A range between two limits, itself over none. */
export type Gap = Readonly<{ low: number; high: number }>

type Band = Mark & { low: number; high: number; hysteresis: Hysteresis | undefined }

/**
 * The line of numbers, cut at every limit into single points and the open ranges between them,
 * each with what a value there is: over the limit of a mark, near one, or calm.
 */
export class ValueLine {
  /** Ascending, with an infinity at the end so that a search stops. */
  readonly #edges: Float64Array
  /** Of the range below the first edge, of that edge, of the range above it, and so on. */
  readonly #codes: Int16Array
  readonly #marks: readonly Mark[]
  /** Ranges over no limit in which hysteresis leaves nothing calm, so that alarms cannot end. */
  readonly closedGaps: readonly Gap[]

  constructor(edges: number[], codes: number[], marks: readonly Mark[], closedGaps: Gap[]) {
    this.#edges = Float64Array.of(...edges, Infinity)
    this.#codes = Int16Array.from(codes)
    this.#marks = marks
    this.closedGaps = closedGaps
  }

  /** `NEAR`, 0 for calm, or the number of a mark; of a finite value. */
  codeOf(value: number): number {
    const edges = this.#edges
    let index = 0
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
  const worstIn = (low: number, high: number): Band | undefined => {
    const covering = bands.filter((band) => band.low <= low && band.high >= high)
    return covering.reduce<Band | undefined>(
      (worst, band) =>
        worst === undefined || isWorse(band.level, worst.level, severity) ? band : worst,
      undefined,
    )
  }

  const edges: number[] = []
  const codes: number[] = []
  const closedGaps: Gap[] = []
  const codeOf = (band: Band | undefined) => (band === undefined ? CALM : bands.indexOf(band) + 1)
  for (let index = 0; index <= points.length; index++) {
    const low = points[index - 1] ?? -Infinity
    const high = points[index] ?? Infinity
    const within = worstIn(low, high)
    if (within !== undefined) codes.push(codeOf(within))
    else {
      const [below, above] = [worstIn(low, low), worstIn(high, high)]
      const gap = cutGap({ low, high }, below?.hysteresis, above?.hysteresis)
      edges.push(...gap.edges)
      codes.push(...gap.codes)
      if (!gap.codes.includes(CALM)) closedGaps.push({ low, high })
    }
    if (index === points.length) break
    edges.push(high)
    codes.push(codeOf(worstIn(high, high)))
  }
  const marks = bands.map(({ level, limit }) => ({ level, limit }))
  return new ValueLine(edges, codes, marks, closedGaps)
}

/** A range over no limit: near its finite ends by their hysteresis, calm in between. */
function cutGap(
  gap: Gap,
  below: Hysteresis | undefined,
  above: Hysteresis | undefined,
): { edges: number[]; codes: number[] } {
  const calmFrom = gap.low + (gap.low === -Infinity ? 0 : marginOf(below, gap, gap.low))
  const calmTo = gap.high - (gap.high === Infinity ? 0 : marginOf(above, gap, gap.high))
  if (calmFrom > calmTo) return { edges: [], codes: [NEAR] }
  if (calmFrom === calmTo) {
    const isInside = calmFrom > gap.low && calmTo < gap.high
    return isInside ? { edges: [calmTo], codes: [NEAR, CALM, NEAR] } : { edges: [], codes: [NEAR] }
  }
  const low = calmFrom > gap.low ? { edges: [calmFrom], codes: [NEAR, CALM] } : NO_CUT
  const high = calmTo < gap.high ? { edges: [calmTo], codes: [CALM, NEAR] } : NO_CUT
  return { edges: [...low.edges, ...high.edges], codes: [...low.codes, CALM, ...high.codes] }
}

const NO_CUT: { edges: number[]; codes: number[] } = { edges: [], codes: [] }

/** A percentage is of the band's width or, where that has no other end, of the limit itself. */
function marginOf(hysteresis: Hysteresis | undefined, { low, high }: Gap, edge: number): number {
  if (hysteresis === undefined) return 0
  if ('value' in hysteresis) return hysteresis.value
  const width = high - low
  return (hysteresis.percent / 100) * (Number.isFinite(width) ? width : Math.abs(edge))
}

function bandsOf({ thresholds, hysteresis }: LimitSource): Band[] {
  return thresholds.flatMap(({ level, value }) =>
    parseIntervals(value).map((interval) => {
      const limit = `threshold ${formatIntervals([interval])}`
      return { level, limit, low: interval.low, high: interval.high, hysteresis }
    }),
  )
}
