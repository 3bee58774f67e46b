import type { ReplacedCount } from './records.ts'

export type TrafficRow = {
  structure: number
  time: number
  /** Distinguishes vehicles of one instant. */
  identity: string
  overload: boolean
  license: string
  load: number
  /** The record as it is served. */
  record: string
  /** The further data of the weighing system, as JSON. */
  details: string
}

export type TrafficQuery = {
  structure: number
  from: number
  to: number
  overload?: boolean | undefined
  license?: string | undefined
  loadFloor?: number | undefined
}

export type TrafficSpan = Pick<TrafficQuery, 'structure' | 'from' | 'to'>

/** Vehicles of a local hour, lane and weight class. */
export type TrafficCount = {
  /** Whole local hours since 1970. */
  hour: number
  lane: string
  /** The number of bounds that the weight reaches. */
  weightClass: number
  count: number
  overloads: number
}

export interface TrafficStore {
  /** Counts the vehicles of a span of one offset from UTC by local hour, lane and weight class. */
  countBy(
    span: TrafficSpan & { offset: number; bounds: readonly number[] },
  ): Promise<TrafficCount[]>

  write(rows: readonly TrafficRow[]): Promise<ReplacedCount>

  /** Counts the vehicles of a structure between two instants, both included. */
  count(span: TrafficSpan): Promise<number>

  /** Deletes the oldest vehicles of a span, at most `limit`, as part of a change; returns how many. */
  removeSome(span: TrafficSpan & { limit: number; change: number }): Promise<number>

  /** Yields matching records, oldest first, as `RecordStore.read` does. */
  read(query: TrafficQuery): AsyncIterable<Uint8Array>
}
