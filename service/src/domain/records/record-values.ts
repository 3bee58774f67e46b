/** A record text, parsed. */
export type RecordMembers = Readonly<Record<string, unknown>>

/** Parses a record text. */
export const parseRecord = (text: string): RecordMembers => JSON.parse(text)

/** Returns the values of a record text in the order of the items; undefined for missing ones. */
export function valuesOf(
  text: string,
  itemIndex: ReadonlyMap<string, number>,
): (number | undefined)[] {
  return pickValues(parseRecord(text), itemIndex)
}

/** Returns the values of a parsed record in the order of the items; undefined for missing ones. */
export function pickValues(
  record: RecordMembers,
  itemIndex: ReadonlyMap<string, number>,
): (number | undefined)[] {
  const values: (number | undefined)[] = []
  for (const key of itemIndex.keys()) {
    // The key of an item may be `time`, so only a number is a value.
    const value = Object.hasOwn(record, key) ? record[key] : undefined
    values.push(typeof value === 'number' ? value : undefined)
  }
  return values
}
