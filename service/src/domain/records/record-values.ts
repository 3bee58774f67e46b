/** The values of a record text in the order of the items; undefined where it has none. */
export function valuesOf(
  text: string,
  itemIndex: ReadonlyMap<string, number>,
): (number | undefined)[] {
  return pickValues(JSON.parse(text) as Record<string, unknown>, itemIndex)
}

/** The same of a record text that was parsed. */
export function pickValues(
  record: Readonly<Record<string, unknown>>,
  itemIndex: ReadonlyMap<string, number>,
): (number | undefined)[] {
  const values: (number | undefined)[] = []
  for (const key of itemIndex.keys()) {
    // An item may be called `time` as well; what is no number is no value.
    const value = Object.hasOwn(record, key) ? record[key] : undefined
    values.push(typeof value === 'number' ? value : undefined)
  }
  return values
}
