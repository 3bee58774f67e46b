import { groupsSql } from './guards.ts'
import type { Reader } from '../connection/reader.ts'
import {
  GUARDED_NAMES,
  GUARDED_TABLES,
  type GuardedName,
  type GuardedSpan,
} from '../../sql/guarded-tables.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { toError } from '../../../errors/thrown.ts'

type Mismatch = { owner: number; part: number }

/** Compares the rows of guarded tables with the counts and sums that were kept of them. */
export class TableChecks {
  readonly #reader: Reader
  readonly #texts = new Map<string, string>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Throws where rows are not those that were written. */
  check(span: GuardedSpan): void {
    const found = this.#find(span)
    if (found === undefined) return
    throw new DamageError(`the rows of ${describe(span.table, found)} do not match their checksum`)
  }

  /** A sentence for each table that is damaged or cannot be read. */
  inspect(): string[] {
    return GUARDED_NAMES.flatMap((table) => {
      try {
        const found = this.#find({ table })
        if (found === undefined) return []
        return [`The rows of ${describe(table, found)} do not match their checksum`]
      } catch (error) {
        return [`The table ${table} cannot be read: ${toError(error).message}`]
      }
    })
  }

  #find({ table, owner = 0, from, to = from, parts }: GuardedSpan): Mismatch | undefined {
    if (parts?.length === 0) return undefined
    const which = parts !== undefined ? 'parts' : from !== undefined ? 'span' : 'all'
    const key = `${table} ${which}`
    const sql = this.#texts.getOrInsertComputed(key, () => this.#mismatchSql(table, which))
    const values = {
      all: [],
      span: [{ 1: owner, 2: from, 3: to }],
      parts: [{ 1: JSON.stringify(parts) }],
    }[which]
    const found = this.#reader.row<[owner: number, part: number]>(sql, ...values)
    return found && { owner: found[0], part: found[1] }
  }

  #mismatchSql(table: GuardedName, which: 'all' | 'span' | 'parts'): string {
    const { owner, part } = GUARDED_TABLES[table]
    const kept = {
      all: 'true',
      span: 'owner = ?1 and part between ?2 and ?3',
      parts: `owner = 0 and part in ${GIVEN_PARTS}`,
    }[which]
    const rows = {
      all: 'true',
      span: rowsWhere(owner, part),
      parts: `${part.replace('@', '')} in ${GIVEN_PARTS}`,
    }[which]
    return `select owner, part from (
        select owner, part, count, total from row_sums
          where name = '${table}' and count <> 0 and ${kept}
        union all
        select owner, part, count, total from
          (select 1 as name, 2 as owner, 3 as part, 4 as count, 5 as total where false
            union all ${groupsSql((sql) => this.#reader.rows<[string]>(sql).flat(), table, rows)})
      ) group by owner, part, count, total having count(*) <> 2 limit 1`
  }
}

const GIVEN_PARTS = '(select value from json_each(?1))'

/** The condition of the rows between two parts, in a form for which SQLite uses an index. */
function rowsWhere(owner: string, part: string): string {
  const ofOwner = owner === '0' ? '?1 = 0' : `${owner.replace('@', '')} = ?1`
  const [column, bits] = part.replace('@', '').split(' >> ')
  if (bits === undefined) return `${ofOwner} and ${column} between ?2 and ?3`
  return `${ofOwner} and ${column} >= (?2 << ${bits}) and ${column} < ((?3 + 1) << ${bits})`
}

function describe(table: GuardedName, { owner, part }: Mismatch): string {
  const { owner: ownerOf, part: partOf } = GUARDED_TABLES[table]
  const places = [
    ...(ownerOf === '0' ? [] : [`${ownerOf.replace('@', '')} ${owner}`]),
    ...(partOf === '0' ? [] : [describePart(partOf, part)]),
  ]
  return [`the table ${table}`, ...places].join(', ')
}

function describePart(expression: string, part: number): string {
  const [column, bits] = expression.replace('@', '').split(' >> ')
  if (bits === undefined) return `${column} ${part}`
  const date = new Date(part * 2 ** Number(bits))
  return `${column} from ${Number.isNaN(date.getTime()) ? part : date.toISOString()} on`
}
