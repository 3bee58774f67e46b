import type { Outcome, Statement } from '../../sql/statement.ts'
import { countRows, columnsOf } from './given-rows.ts'

/** Writes that run as one list of statements, and how its outcomes belong to them. */
export type MergedWrite = {
  statements: readonly Statement[]
  /** The outcomes of each write, in the order of the writes. */
  split(outcomes: readonly Outcome[]): Outcome[][]
}

/**
 * Joins writes that follow each other and consist of the same set statements, such as single records of
 * many clients: each statement runs once, with the rows of all of them.
 */
export function mergeWrites(writes: readonly (readonly Statement[])[]): MergedWrite[] {
  const merged: MergedWrite[] = []
  for (let at = 0; at < writes.length;) {
    const first = writes[at]
    if (first === undefined) break
    const shape = shapeOf(first)
    const next = writes.findIndex((one, place) => place > at && shapeOf(one) !== shape)
    const end = shape === undefined ? at + 1 : next === -1 ? writes.length : next
    merged.push(end - at === 1 ? single(first) : join(writes.slice(at, end)))
    at = end
  }
  return merged
}

const single = (statements: readonly Statement[]): MergedWrite => ({
  statements,
  split: (outcomes) => [[...outcomes]],
})

/** What two writes have to have in common; undefined for one that cannot be joined. */
function shapeOf(statements: readonly Statement[]): string | undefined {
  const texts: string[] = []
  for (const { locks, set, expected } of statements) {
    if (locks !== undefined) texts.push(`${locks.kind} ${'isShared' in locks && locks.isShared}`)
    else if (set === undefined || set.counts === true || set.key !== undefined) return undefined
    else texts.push(`${set.sql} ${expected === undefined}`)
  }
  return texts.join('\n')
}

/** Every row of each statement has to do what it does alone; otherwise the joined write fails. */
function join(writes: readonly (readonly Statement[])[]): MergedWrite {
  const [first = []] = writes
  return {
    statements: first.map((one, at) =>
      joinStatement(
        one,
        writes.map((own) => own[at] ?? one),
      ),
    ),
    split: () =>
      writes.map((own) => own.map((one) => ({ changed: countRows(one), otherwise: 0, lastId: 0 }))),
  }
}

function joinStatement(one: Statement, all: readonly Statement[]): Statement {
  if (one.locks !== undefined) return joinLocks(one, all)
  const { set = { sql: '', types: [] } } = one
  const parts = all.map(columnsOf)
  const columns = set.types.map((_, column) => parts.flatMap((part) => part[column] ?? []))
  const { rows: _rows, expected: _expected, ...rest } = one
  const total = all.reduce((sum, { expected = 0 }) => sum + expected, 0)
  return {
    ...rest,
    values: [],
    columns,
    set,
    ...(one.expected === undefined ? {} : { expected: total }),
  }
}

function joinLocks(one: Statement, all: readonly Statement[]): Statement {
  const { locks } = one
  if (locks === undefined) return one
  if (locks.kind === 'alarms') {
    const sources = all.flatMap((own) => (own.locks?.kind === 'alarms' ? own.locks.sources : []))
    return { ...one, locks: { ...locks, sources: [...new Set(sources)].toSorted() } }
  }
  const sources = all.flatMap((own) =>
    own.locks === undefined || own.locks.kind === 'alarms' ? [] : own.locks.sources,
  )
  return {
    ...one,
    locks: { ...locks, sources: [...new Set(sources)].toSorted((a, b) => a - b) },
  }
}
