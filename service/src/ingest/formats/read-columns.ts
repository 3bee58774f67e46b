import { convertValue, describeMismatch, findConversion } from '../../domain/units/units.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { ColumnLayout } from './columns.ts'
import type { ColumnName, FlagSource, Target, TargetColumn } from './mapping.ts'

/** The unit of an item of a target; undefined where the site has no such item, or it has none. */
export type UnitOf = (target: Target, key: string) => string | undefined

/** A column in the form in which it is read: its field, its flags, and how its numbers become values. */
export type ReadColumn = {
  column: ColumnName
  key: string
  field: number
  quality: ReadFlags | undefined
  /** Undefined for a number that is the value. */
  toValue: ((number: number) => number) | undefined
}

/** The flags of a column; `field` is undefined where they stand behind its numbers. */
export type ReadFlags = FlagSource & { field: number | undefined }

/** The fields of the values of a target, and those of their flags. */
type TargetFields = { values: readonly number[]; flags: readonly (number | undefined)[] }

/**
 * Compiles the columns of a target for a layout.
 *
 * Throws a `RefusedError` for a unit of the mapping or of the header that does not convert to that of
 * the item.
 */
export function compileColumns(
  target: Target,
  fields: TargetFields,
  { units = [] }: ColumnLayout,
  unitOf: UnitOf,
): ReadColumn[] {
  return target.columns.map((settings, index) => {
    const { column, key, quality } = settings
    const field = fields.values[index]
    if (field === undefined)
      throw new RangeError(`the layout has no place for ${shownColumn(column)}`)
    const itemUnit = unitOf(target, key) ?? ''
    const toValue = compileValue(settings, units[field] ?? '', itemUnit)
    const flags = quality && { ...quality, field: fields.flags[index] }
    return { column, key, field, quality: flags, toValue }
  })
}

/** A `scale` without a unit makes of the number of a file a value in the unit of the item. */
function compileValue(
  { column, key, scale, unit }: TargetColumn,
  headerUnit: string,
  itemUnit: string,
): ReadColumn['toValue'] {
  const given = unit ?? (scale === undefined ? headerUnit.trim() : '')
  const scaled = scale === undefined || scale === 1 ? undefined : (number: number) => number * scale
  if (given === '' || itemUnit === '') return scaled
  const conversion = findConversion(given, itemUnit)
  if (conversion === 'same') return scaled
  if (conversion !== undefined)
    return (number) => convertValue(conversion, scaled === undefined ? number : scaled(number))
  const where = unit === undefined ? 'the header' : 'the mapping'
  throw new RefusedError(
    'invalid',
    `column ${shownColumn(column)}: the unit in ${where} is not that of item ${key}: ${describeMismatch(given, itemUnit)}; expected "unit" in the mapping to name the unit of the values`,
  )
}

export const shownColumn = (column: ColumnName): string =>
  typeof column === 'number' ? String(column) : JSON.stringify(column)
