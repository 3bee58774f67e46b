/** Values in columns from left to right, each from below upwards. */
export type Grid = { columns: number; rows: number; values: Float32Array }

export type ColourScale = { low: number; high: number }

/** A grid of lists, of which the first `rows` values are taken. */
export function toGrid(lists: readonly ArrayLike<number>[], rows: number): Grid {
  const values = new Float32Array(lists.length * rows)
  for (const [column, list] of lists.entries())
    for (let row = 0; row < rows; row++) values[column * rows + row] = list[row] ?? NaN
  return { columns: lists.length, rows, values }
}

/** The same grid with its columns as rows. */
export function transpose({ columns, rows, values }: Grid): Grid {
  const turned = new Float32Array(values.length)
  for (let column = 0; column < columns; column++)
    for (let row = 0; row < rows; row++)
      turned[row * columns + column] = values[column * rows + row]!
  return { columns: rows, rows: columns, values: turned }
}

/** The colours from the lowest to the highest value; of decibels the highest eighty at most. */
export function scaleOf({ values }: Grid, isDecibel: boolean): ColourScale {
  let [low, high] = [Infinity, -Infinity]
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  if (!(high > low)) return { low: high - 1, high }
  return { low: isDecibel ? Math.max(low, high - DECIBEL_SPAN) : low, high }
}

const DECIBEL_SPAN = 80
