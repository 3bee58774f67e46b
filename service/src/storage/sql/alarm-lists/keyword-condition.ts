import { allOf, anyOf } from './conditions.ts'
import type { Condition, Dialect } from '../dialect.ts'
import { templateKeyword, type TemplateKeyword } from '../../../domain/alarms/template-keyword.ts'
import type { SqlReader } from '../engine.ts'

const TEMPLATE = 'alarms.template_id'

/**
 * The name of the source or the content of an alarm contains a keyword, in either case.
 *
 * Many alarms share few texts: each text is searched for the keyword once.
 */
export async function keywordCondition(reader: SqlReader, keyword: string): Promise<Condition> {
  const { dialect } = reader
  const folded = keyword.toLowerCase()
  const { inWords, inNumbers, across, number } = templateKeyword(folded)
  const templates = inWords ? await idsWith(reader, 'alarm_templates', folded) : []
  return anyOf(
    isAmong(dialect, TEMPLATE, templates),
    isAmong(dialect, 'alarms.source_name_id', await idsWith(reader, 'alarm_source_names', folded)),
    inNumbers ? hasNumber(dialect, folded) : undefined,
    across && (await spansNumber(reader, across, number, folded)),
  )
}

const hasNumber = (dialect: Dialect, part: string): Condition => ({
  sql: dialect.contains('alarms.numbers'),
  values: [part],
})

async function idsWith(reader: SqlReader, table: string, folded: string): Promise<number[]> {
  const sql = `select id from ${table} where ${reader.dialect.contains('folded')}`
  return (await reader.rows<[id: number]>(sql, folded)).map(([id]) => id)
}

const isAmong = (
  { isOneOf }: Dialect,
  column: string,
  ids: readonly number[],
): Condition | undefined => (ids.length === 0 ? undefined : isOneOf(column, ids))

/** The keyword covers a number of the content and text beside it. */
async function spansNumber(
  reader: SqlReader,
  across: NonNullable<TemplateKeyword['across']>,
  number: string,
  folded: string,
): Promise<Condition | undefined> {
  const { dialect } = reader
  const templates = new Map<string, number[]>()
  const unclear: number[] = []
  for (const [id, text] of await reader.rows<[number, string]>(
    'select id, folded from alarm_templates',
  )) {
    const patterns = across(text)
    if (patterns === 'content') unclear.push(id)
    else for (const one of patterns) templates.getOrInsertComputed(one, () => []).push(id)
  }
  if (templates.size + unclear.length === 0) return undefined
  const isOne = anyOf(
    ...Array.from(templates, ([pattern, ids]) =>
      allOf(
        { sql: dialect.matchesNumbers('alarms.numbers'), values: [pattern] },
        isAmong(dialect, TEMPLATE, ids),
      ),
    ),
    unclear.length === 0
      ? undefined
      : allOf(isAmong(dialect, TEMPLATE, unclear), contains(dialect, folded)),
  )
  return allOf(hasNumber(dialect, number), isOne)
}

const contains = (dialect: Dialect, folded: string): Condition => ({
  sql: dialect.contentContains(
    '(select folded from alarm_templates where id = alarms.template_id)',
    'alarms.numbers',
  ),
  values: [folded],
})
