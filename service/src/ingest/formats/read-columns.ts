import { convertValue, describeMismatch, findConversion } from '../../domain/units/units.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { ColumnLayout } from './columns.ts'
import type { ColumnName, Target, TargetColumn } from './mapping.ts'

/** The unit of an item of a target; undefined where the site has no such item, or it has none. */
export type UnitOf = (target: Target, key: string) => string | undefined

/** A column in the form in which it is read: its field, and how its numbers become values. */
export type ReadColumn = {
  column: ColumnName
  key: string
  field: number
  /** Undefined for a number that is the value. */
  toValue: ((number: number) => number) | undefined
}

/**
 * Compiles the columns of a target for a layout.
 *
 * Throws a `RefusedError` for a unit of the mapping or of the header that does not convert to that of
 * the item.
 */
export function compileColumns(
  target: Target,
  fields: readonly number[],
  { units = [] }: ColumnLayout,
  unitOf: UnitOf,
): ReadColumn[] {
  return target.columns.map((settings, index) => {
    const { column, key } = settings
    const field = fields[index]
    if (field === undefined)
      throw new RangeError(`the layout has no place for ${shownColumn(column)}`)
    const itemUnit = unitOf(target, key) ?? ''
    return { column, key, field, toValue: compileValue(settings, units[field] ?? '', itemUnit) }
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
