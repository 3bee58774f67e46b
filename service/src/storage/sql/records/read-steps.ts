import {
  cutRecords,
  mergeRecords,
  nestRecords,
  type RecordList,
} from '../../../domain/records/record-list.ts'
import type { RecordQuery } from '../../stores/records.ts'
import { openPart, type SealedPart } from '../../sealed-days/sealed-part.ts'
import { withLocation, type DeflatedPart } from '../sealed-days/sealed-parts.ts'

/** The records of one step: a page is some 150 KB, and its transaction takes some 0.2 ms. */
export const PAGE_RECORDS = 2_000

/** What a step reads from one state of the data. */
export type OpenRecords = { type: 'open'; records: Uint8Array | null; count: number }
export type WholePart = { type: 'whole part'; part: DeflatedPart }
export type CutPart = {
  type: 'cut part'
  part: SealedPart
  rows: RecordList
  from: number
  to: number
}

/** A step, and the instant at which the next one begins. */
export type ReadStep<Content> = Content & { next: number }

/** The records of a sealed part that lie in the step, with its corrections. */
export const recordsOf = ({ part, rows, from, to }: CutPart, query: RecordQuery): RecordList => {
  const sealed = withLocation(query, part, () => openPart(part))
  return mergeRecords(cutRecords(sealed, from, to), rows)
}

/** Joined records in the shape of the query. */
export const shape = (text: Uint8Array, query: RecordQuery): Uint8Array =>
  query.shape === 'nested' ? nestRecords(text) : text

export const shapeOpen = (text: Uint8Array | null, query: RecordQuery): Uint8Array | null =>
  text === null ? null : shape(text, query)
