import type { AuditLine } from '@plumbline/contract'
import { sql, type Selectable } from 'kysely'
import { SerialQueue } from '../../concurrency/serial-queue.ts'
import { auditHash, FIRST_HASH } from '../../domain/access/audit-hash.ts'
import type { AuditStore, NewAuditLine } from '../stores/audit.ts'
import { statement, type SqlEngine } from './engine.ts'
import { fromJson } from './from-json.ts'
import { storedText } from './stored-texts.ts'
import type { AccountTables } from './tables/accounts.ts'

/** Other processes append too; of two lines with one number the second gets the next. */
const ATTEMPTS = 100

export function auditStore(engine: SqlEngine): AuditStore {
  const { build, all, first, write } = engine
  // Lines of one process do not take each other's number.
  const queue = new SerialQueue()

  const findLast = () =>
    first(
      build
        .selectFrom('audit_lines')
        .select(['seq', 'hash'])
        .orderBy('seq', 'desc')
        .limit(1)
        .compile(),
    )

  const appendNow = async (given: NewAuditLine, id: string | undefined): Promise<AuditLine> => {
    const stored = asStored(given)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { seq: last, hash: before } = (await findLast()) ?? { seq: 0, hash: FIRST_HASH }
      const numbered = { seq: last + 1, ...stored }
      const line = { ...numbered, hash: auditHash(before, numbered) }
      const insert = build
        .insertInto('audit_lines')
        .values(toRow(line))
        .onConflict((conflict) => conflict.column('seq').doNothing())
      const [outcome] = await write([
        statement(insert.compile()),
        ...(id === undefined ? [] : [removeNote(id, line)]),
      ])
      if (outcome?.changed === 1) return line
    }
    throw new Error('the audit log changes too often to append a line')
  }

  const store: AuditStore = {
    async begin(id, line) {
      const insert = build
        .insertInto('audit_notes')
        .values({ id, began_at: line.at, line: JSON.stringify(line) })
      await write([statement(insert.compile())])
    },

    append: (line, id) => queue.run(() => appendNow(line, id)),

    async discard(id) {
      await write([statement(build.deleteFrom('audit_notes').where('id', '=', id).compile())])
    },

    async closeAbandoned(before) {
      const query = build.selectFrom('audit_notes').selectAll().where('began_at', '<', before)
      const notes = await all(query.orderBy('began_at').compile())
      for (const { id, line } of notes)
        await store.append({ ...fromJson<NewAuditLine>(line), outcome: 'unknown' }, id)
      return notes.length
    },

    async list({ startTime, endTime, who, operation, target, before, limit }) {
      let query = build.selectFrom('audit_lines').selectAll()
      if (startTime !== undefined) query = query.where('at', '>=', startTime)
      if (endTime !== undefined) query = query.where('at', '<=', endTime)
      if (who !== undefined) query = query.where('who_name', '=', who)
      if (operation !== undefined) query = query.where('operation', '=', operation)
      if (before !== undefined) query = query.where('seq', '<', before)
      if (target !== undefined)
        query = query.where(sql<boolean>`${sql.ref('target')} like ${likeText(target)} escape '!'`)
      return (await all(query.orderBy('seq', 'desc').limit(limit).compile())).map(toLine)
    },

    async from(seq, limit) {
      const query = build.selectFrom('audit_lines').selectAll().where('seq', '>=', seq)
      return (await all(query.orderBy('seq').limit(limit).compile())).map(toLine)
    },
  }
  return store
}

/** Only with its line: the note stays where another process has taken the number. */
const removeNote = (id: string, { seq, hash }: AuditLine) => ({
  sql: `delete from audit_notes where id = ?
    and exists (select 1 from audit_lines where seq = ? and hash = ?)`,
  width: 3,
  values: [id, seq, hash],
})

/** The pattern of texts that contain one. */
const likeText = (text: string): string => `%${text.replaceAll(/[!%_]/g, '!$&')}%`

/** A line as it is read again, so that its hash is that of what is stored. */
function asStored(line: NewAuditLine): NewAuditLine {
  const { at, who, address, operation, target, before, after, outcome } = line
  return {
    at,
    who: { kind: who.kind, name: storedText(who.name) },
    address: address === null ? null : storedText(address),
    operation: storedText(operation),
    target: target === null ? null : storedText(target),
    before: JSON.parse(JSON.stringify(before ?? null)),
    after: JSON.parse(JSON.stringify(after ?? null)),
    outcome: storedText(outcome),
  }
}

const toRow = (line: AuditLine): AccountTables['audit_lines'] => ({
  seq: line.seq,
  at: line.at,
  who_kind: line.who.kind,
  who_name: line.who.name,
  address: line.address,
  operation: line.operation,
  target: line.target,
  value_before: JSON.stringify(line.before),
  value_after: JSON.stringify(line.after),
  outcome: line.outcome,
  hash: line.hash,
})

const toLine = (row: Selectable<AccountTables['audit_lines']>): AuditLine => ({
  seq: row.seq,
  at: row.at,
  who: { kind: row.who_kind, name: row.who_name },
  address: row.address,
  operation: row.operation,
  target: row.target,
  before: fromJson<unknown>(row.value_before),
  after: fromJson<unknown>(row.value_after),
  outcome: row.outcome,
  hash: row.hash,
})
