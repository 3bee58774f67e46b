/** The values of rows, one row after the other, from columns of the same length. */
export function interleave(columns: readonly (readonly unknown[])[]): unknown[] {
  const width = columns.length
  const rows = columns[0]?.length ?? 0
  const values = Array.from<unknown>({ length: width * rows })
  for (let column = 0; column < width; column++)
    for (let row = 0; row < rows; row++) values[row * width + column] = columns[column]![row]
  return values
}
