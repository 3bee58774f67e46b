import { VIRIDIS } from './viridis.ts'

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

/** Red, green, blue and opacity of each pixel, row by row. */
export type Picture = { data: Uint8ClampedArray<ArrayBuffer>; width: number; height: number }

/**
 * A picture of a grid with no more pixels than `width` and `height`. Where a pixel stands for several
 * values it has the highest, so that a narrow line is never lost.
 */
export function paint(grid: Grid, scale: ColourScale, width: number, height: number): Picture {
  const across = Math.max(1, Math.min(grid.columns, Math.floor(width)))
  const down = Math.max(1, Math.min(grid.rows, Math.floor(height)))
  const data = new Uint8ClampedArray(4 * across * down)
  for (let x = 0; x < across; x++) {
    const columns = partOf(grid.columns, x, across)
    for (let y = 0; y < down; y++) {
      const value = highest(grid, columns, partOf(grid.rows, down - 1 - y, down))
      const place = Math.round((255 * (value - scale.low)) / (scale.high - scale.low))
      const colour = 3 * Math.min(255, Math.max(0, place))
      const pixel = 4 * (y * across + x)
      if (Number.isNaN(value)) continue
      data[pixel] = VIRIDIS[colour]!
      data[pixel + 1] = VIRIDIS[colour + 1]!
      data[pixel + 2] = VIRIDIS[colour + 2]!
      data[pixel + 3] = 255
    }
  }
  return { data, width: across, height: down }
}

type Part = { from: number; to: number }

const partOf = (count: number, at: number, parts: number): Part => ({
  from: Math.floor((at * count) / parts),
  to: Math.floor(((at + 1) * count) / parts),
})

function highest({ rows, values }: Grid, across: Part, up: Part): number {
  let found = NaN
  for (let column = across.from; column < across.to; column++) {
    for (let row = up.from; row < up.to; row++) {
      const value = values[column * rows + row]!
      if (!(value <= found)) found = Number.isNaN(value) ? found : value
    }
  }
  return found
}
