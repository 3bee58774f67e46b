/** The lines of a table, each column as wide as its widest cell. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** A time for people, in UTC with seconds. */
export const showMoment = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')} UTC`
