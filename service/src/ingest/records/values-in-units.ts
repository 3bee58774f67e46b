import { convertValue, describeMismatch, findConversion } from '../../domain/units/units.ts'
import { show } from '../../errors/show.ts'
import type { Rejection } from './report.ts'

/** Values of a record whose units the settings of a data source name, by item key. */
export class ValuesInUnits {
  readonly values: unknown
  readonly units: ReadonlyMap<string, string>

  constructor(values: unknown, units: ReadonlyMap<string, string>) {
    this.values = values
    this.units = units
  }
}

/** Wraps values where settings name units of them. */
export function withUnits(values: unknown, units: ReadonlyMap<string, string>): unknown {
  return units.size === 0 ? values : new ValuesInUnits(values, units)
}

type Item = Readonly<{ key: string; unit: string }>

/** Converts values in the order of the items to the units of the items. */
export function toItemUnits(
  values: readonly (number | undefined)[],
  units: ReadonlyMap<string, string>,
  items: readonly Item[],
): (number | undefined)[] | Rejection {
  const converted = [...values]
  for (const [index, { key, unit }] of items.entries()) {
    const [value, given] = [values[index], units.get(key)]
    if (value === undefined || given === undefined || unit === '') continue
    const conversion = findConversion(given, unit)
    if (conversion === undefined)
      return {
        rejection: `the unit of ${show(key)} in the settings is not that of the item: ${describeMismatch(given, unit)}`,
      }
    if (conversion === 'same') continue
    const result = convertValue(conversion, value)
    if (!Number.isFinite(result))
      return { rejection: `value of ${show(key)} is not finite in ${unit}` }
    converted[index] = result
  }
  return converted
}
