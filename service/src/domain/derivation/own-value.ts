/** Returns a member of a record by name; undefined if the record itself has none. */
export const ownValue = <Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined => (Object.hasOwn(record, name) ? record[name] : undefined)
