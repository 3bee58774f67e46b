import type { Coverage } from '../../open-days/kept-day.ts'
import { endOfDay } from '../records/record-days.ts'

/** The records of a window on one day of UTC, read in one state of the data. */
export type OpenDay = Coverage & {
  day: number
  /** The first instant whose records are sealed, or of the next day. */
  end: number
  times: readonly number[]
  text: Uint8Array
}

/** The first records of an open day, a gap before them, or nothing that can be kept. */
export type FoundDay =
  { type: 'none' } | { type: 'gap'; to: number } | { type: 'day'; day: OpenDay; next: number }

/** A day that is to be kept is read in pages of as many records: half a megabyte of text. */
export const DAY_RECORDS = 4_000

/** Where a page ends: at the end of its window `to`, or at its last record. */
type PageEnd = {
  to: number
  isAll: boolean
  /** The newest open record of the day. */
  newest: number
  sealedFrom: number
}

type Page = Pick<OpenDay, 'day' | 'marker' | 'from' | 'times' | 'text'>

/** A page of records of a day, which it has. */
export function toFoundDay(page: Page, { to, isAll, newest, sealedFrom }: PageEnd): FoundDay {
  const end = Math.min(sealedFrom, endOfDay(page.day) + 1)
  const next = isAll ? to + 1 : (page.times.at(-1) ?? to) + 1
  const isNewest = isAll && newest < next
  const [until, settled] = isNewest ? [end, newest + 1] : [next, next]
  return { type: 'day', day: { ...page, end, until, settled }, next }
}

/** Instants as an engine joins them. */
export const toTimes = (joined: string): number[] => joined.split(',').map(Number)
