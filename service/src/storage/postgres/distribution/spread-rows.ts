import type { Summing } from '../../sql/statement.ts'
import { DISTRIBUTED_TABLES } from './placements.ts'

/** The most rows that one statement inserts; its parameters are counted in 16 bits. */
const ROWS_AT_ONCE = 1_000

/** Whether Citus counts rows of an insert that it left out, since they exist. */
export const isMiscounted = (sql: string): boolean =>
  /^\s*insert\b.*\bselect\b.*\bdo nothing$/s.test(sql)

type Row = readonly unknown[]

/** Whether a statement is about tables that are distributed over workers. */
export const isSpread = (sql: string): boolean => NAMES.test(sql)

const NAMES = new RegExp(`\\b(${DISTRIBUTED_TABLES.map(({ name }) => name).join('|')})\\b`)

/**
 * The rows of an insert in the order of their keys, in rounds: no round has a key twice, and of a key
 * an earlier row is in an earlier round.
 */
export function inRounds(rows: Iterable<Row>, width: number): Row[][] {
  const rounds: Row[][] = []
  const seen = new Map<string, number>()
  for (const row of rows) {
    const key = keyOf(row, width)
    const round = seen.get(key) ?? 0
    seen.set(key, round + 1)
    ;(rounds[round] ??= []).push(row)
  }
  for (const round of rounds) round.sort((a, b) => compareKeys(a, b, width))
  return rounds
}

/** Rows in which no key comes twice: the columns behind the key are summed up. */
export function sumRows(rows: Iterable<Row>, sums: readonly Summing[]): Row[] {
  const byKey = new Map<string, Row>()
  for (const row of rows) {
    const width = row.length - sums.length
    const key = keyOf(row, width)
    const known = byKey.get(key)
    const summed = known === undefined ? row : sumTwo(known, row, width, sums)
    byKey.set(key, summed)
  }
  return [...byKey.values()]
}

const sumTwo = (one: Row, other: Row, width: number, sums: readonly Summing[]): Row => [
  ...one.slice(0, width),
  ...sums.map((sum, at) => SUMS[sum](Number(one[width + at]), Number(other[width + at]))),
]

const SUMS: Readonly<Record<Summing, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  min: Math.min,
  max: Math.max,
}

/** The text of the first columns of a row. */
export const keyOf = (row: Row, width: number): string => row.slice(0, width).join(' ')

function compareKeys(a: Row, b: Row, width: number): number {
  for (let at = 0; at < width; at++) {
    const difference = Number(a[at]) - Number(b[at])
    if (difference !== 0) return difference
  }
  return 0
}

/** Cuts rows into as few portions as there can be: each costs a message to most shards. */
export function* inPortions<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += ROWS_AT_ONCE) yield items.slice(at, at + ROWS_AT_ONCE)
}

/** An insert of one row of values as an insert of several. */
export const repeatValues = (sql: string, count: number): string =>
  sql.replace(
    /values (\([?, ]+\))/,
    (_, row: string) => `values ${Array(count).fill(row).join(', ')}`,
  )

/**
 * An insert that locks the row of a source until its transaction ends, on the worker that has it: it
 * adds the row where there is none, and changes none. Citus refuses `for update` over several sources.
 */
export const lockingInsert = (kind: 'theme' | 'raw'): string =>
  `insert into ${kind}_sources (source) values (?) on conflict (source)
    do update set source = excluded.source where excluded.source is null`
