/** The values of a record text in the order of the items; undefined where it has none. */
export function valuesOf(
  text: string,
  itemIndex: ReadonlyMap<string, number>,
): (number | undefined)[] {
  const record = JSON.parse(text) as Record<string, unknown>
  const values = Array.from<number | undefined>({ length: itemIndex.size })
  for (const [key, index] of itemIndex) {
    // An item may be called `time` as well; what is no number is no value.
    const value = Object.hasOwn(record, key) ? record[key] : undefined
    if (typeof value === 'number') values[index] = value
  }
  return values
}
