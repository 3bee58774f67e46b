import { allOf, anyOf, isOneOf, type Condition } from './conditions.ts'
import { templateKeyword, type TemplateKeyword } from '../../../domain/alarms/template-keyword.ts'
import type { Reader } from '../connection/reader.ts'

const TEMPLATE = 'alarms.template_id'

/**
 * The name of the source or the content of an alarm contains a keyword, in either case.
 *
 * Many alarms share few texts: each text is searched for the keyword once.
 */
export function keywordCondition(reader: Reader, keyword: string): Condition {
  const folded = keyword.toLowerCase()
  const { inWords, inNumbers, across, number } = templateKeyword(folded)
  const templates = inWords ? idsWith(reader, 'alarm_templates', folded) : []
  return anyOf(
    isAmong(TEMPLATE, templates),
    isAmong('alarms.source_name_id', idsWith(reader, 'alarm_source_names', folded)),
    inNumbers ? hasNumber(folded) : undefined,
    across && spansNumber(reader, across, number, folded),
  )
}

const hasNumber = (part: string): Condition => ({
  sql: 'instr(alarms.numbers, ?)',
  values: [part],
})

const idsWith = (reader: Reader, table: string, folded: string): number[] =>
  reader
    .rows<[id: number]>(`select id from ${table} where instr(folded, ?)`, folded)
    .map(([id]) => id)

const isAmong = (column: string, ids: readonly number[]): Condition | undefined =>
  ids.length === 0 ? undefined : isOneOf(column, ids)

/** The keyword covers a number of the content and text beside it. */
function spansNumber(
  reader: Reader,
  across: NonNullable<TemplateKeyword['across']>,
  number: string,
  folded: string,
): Condition | undefined {
  const templates = new Map<string, number[]>()
  const unclear: number[] = []
  for (const [id, text] of reader.rows<[number, string]>(
    'select id, folded from alarm_templates',
  )) {
    const patterns = across(text)
    if (patterns === 'content') unclear.push(id)
    else for (const one of patterns) templates.getOrInsertComputed(one, () => []).push(id)
  }
  if (templates.size + unclear.length === 0) return undefined
  const isOne = anyOf(
    ...Array.from(templates, ([pattern, ids]) =>
      allOf({ sql: 'alarms.numbers glob ?', values: [pattern] }, isAmong(TEMPLATE, ids)),
    ),
    unclear.length === 0 ? undefined : allOf(isAmong(TEMPLATE, unclear), contains(folded)),
  )
  return allOf(hasNumber(number), isOne)
}

const contains = (folded: string): Condition => ({
  sql: `content_contains((select folded from alarm_templates where id = alarms.template_id),
    alarms.numbers, ?)`,
  values: [folded],
})
