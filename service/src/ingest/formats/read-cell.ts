import type { Fields } from '../../encodings/csv/fields.ts'
import type { Mapping } from './mapping.ts'

/** Reads a cell: a number, `null` for no value, undefined for a text that is not a number. */
export function readCell(
  fields: Fields,
  field: number,
  { missing }: Pick<Mapping, 'missing'>,
): number | null | undefined {
  const value = fields.number(field)
  if (Number.isFinite(value))
    return missing.numbers.size > 0 && missing.numbers.has(value) ? null : value
  const trimmed = fields.text(field).trim()
  return trimmed === '' || missing.texts.has(trimmed.toUpperCase()) ? null : undefined
}
