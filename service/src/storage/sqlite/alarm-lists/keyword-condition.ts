import { anyOf, isMarked, type Condition } from './conditions.ts'
import { keywordPlaces } from '../../../domain/alarms/content-template.ts'
import type { Reader } from '../connection/reader.ts'

/**
 * That the name of the source or the content of an alarm contains a keyword, in either case.
 *
 * Few texts make up very many alarms: the keyword is looked for in each of them once.
 */
export function keywordCondition(reader: Reader, keyword: string): Condition {
  const folded = keyword.toLowerCase()
  const { inWords, inNumbers, across, digits } = keywordPlaces(folded)
  const names = idsWith(reader, 'alarm_source_names', folded)
  const templates = inWords ? idsWith(reader, 'alarm_templates', folded) : []
  const others = across === undefined ? [] : templatesAcross(reader, across)
  return anyOf(
    isAmong('alarms.source_name_id', names),
    isAmong('alarms.template_id', templates),
    inNumbers ? { sql: 'instr(alarms.numbers, ?)', values: [folded] } : undefined,
    containsAcross(others, digits, folded),
  )
}

const idsWith = (reader: Reader, table: string, folded: string): number[] =>
  reader
    .rows<[id: number]>(`select id from ${table} where instr(folded, ?)`, folded)
    .map(([id]) => id)

const templatesAcross = (reader: Reader, across: (template: string) => boolean): number[] =>
  reader
    .rows<[id: number, folded: string]>('select id, folded from alarm_templates')
    .filter(([, folded]) => across(folded))
    .map(([id]) => id)

const isAmong = (column: string, ids: readonly number[]): Condition | undefined =>
  ids.length === 0 ? undefined : isMarked(column, ids)

function containsAcross(
  templates: readonly number[],
  digits: string,
  folded: string,
): Condition | undefined {
  const isTemplate = isAmong('alarms.template_id', templates)
  if (isTemplate === undefined) return undefined
  const template = '(select folded from alarm_templates where id = alarms.template_id)'
  return {
    sql: `(instr(alarms.numbers, ?) and ${isTemplate.sql}
      and content_contains(${template}, alarms.numbers, ?))`,
    values: [digits, ...isTemplate.values, folded],
  }
}
