import type { ReplacedCount } from './records.ts'

export type TrafficRow = {
  structure: number
  time: number
  /** What tells two vehicles of one instant apart. */
  identity: string
  overload: boolean
  license: string
  load: number
  /** The record as it is served. */
  record: string
  /** What the weighing system gave beyond it, as JSON. */
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

export interface TrafficStore {
  write(rows: readonly TrafficRow[]): Promise<ReplacedCount>

  /** Vehicles of a structure between two instants, both inclusive. */
  count(span: TrafficSpan): Promise<number>

  /** Removes so many of them, the oldest first, as part of a change; gives how many. */
  removeSome(span: TrafficSpan & { limit: number; change: number }): Promise<number>

  /** Yields matching records, oldest first, as `RecordStore.read` does. */
  read(query: TrafficQuery): AsyncIterable<Uint8Array>
}
