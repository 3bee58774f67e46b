import type { Zone } from '../../domain/time/local-time.ts'
import type { SealedPart } from '../sealed-days/sealed-part.ts'
import type { RecordKind } from './records.ts'

/** Open records of a source on a day of UTC, counted in days since 1970. */
export type OpenDay = { source: number; day: number; count: number }

/** From an instant until another, which is no longer in it. */
export type SourceSpan = { kind: RecordKind; source: number; start: number; until: number }

/** Keeps past days compressed: `docs/concepts/sealed-days.md`. Reading is the same before and after. */
export interface SealedDayStore {
  /** Days that hold open records, oldest first, up to that of an instant. */
  listOpenDays(kind: RecordKind, before: number): Promise<OpenDay[]>

  /**
   * Seals the open records of a span, which lies within one local day, and takes up what came
   * later for sealed ones. Not whole: records kept coming, and some stay open for now.
   */
  seal(
    span: SourceSpan & { zone: Zone },
  ): Promise<{ records: number; bytes: number; isWhole: boolean }>

  /** Makes sealed records open ones again, of every part that a span touches. */
  unseal(span: SourceSpan): Promise<{ records: number }>

  countParts(kind: RecordKind): Promise<number>

  /** Yields everything that is sealed, as it is stored. */
  listParts(kind: RecordKind): AsyncIterable<{ source: number; part: SealedPart }>

  /** Gives a little of the disk's space back that nothing needs any more; done when none is left. */
  reclaimSpace(): Promise<{ isDone: boolean }>
}
