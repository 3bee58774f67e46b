import type { Zone } from '../../domain/time/local-time.ts'
import type { SealedPart } from '../sealed-days/sealed-part.ts'
import type { RecordKind } from './records.ts'

/** The number of open records of a source on a day of UTC; `day` counts from 1970. */
export type OpenDay = { source: number; day: number; count: number }

/** A source from an instant until another, the end not included. */
export type SourceSpan = { kind: RecordKind; source: number; start: number; until: number }

/** Seals past days, see `docs/concepts/sealed-days.md`. Sealed and open records read the same. */
export interface SealedDayStore {
  /** The days with open records up to the day of an instant, oldest first. */
  listOpenDays(kind: RecordKind, before: number): Promise<OpenDay[]>

  /**
   * Seals the open records of a span within one local day, and merges corrections into its parts. Not
   * `isComplete` where records kept arriving, so that some are still open.
   */
  seal(
    span: SourceSpan & { zone: Zone },
  ): Promise<{ records: number; bytes: number; isComplete: boolean }>

  /** Unseals every part that overlaps a span. */
  unseal(span: SourceSpan): Promise<{ records: number }>

  countParts(kind: RecordKind): Promise<number>

  /** Yields every part as it is stored. */
  listParts(kind: RecordKind): AsyncIterable<{ source: number; part: SealedPart }>

  /** Returns some free pages to the disk; `isDone` when none is left. */
  reclaimSpace(): Promise<{ isDone: boolean }>
}
