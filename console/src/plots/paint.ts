import type { ColourScale, Grid } from './heat-map.ts'
import { VIRIDIS } from './viridis.ts'

/**
 * A picture of a grid with no more pixels than `width` and `height`. Where a pixel stands for several
 * values it has the highest, so that a narrow line is never lost.
 */
export function paint(grid: Grid, scale: ColourScale, width: number, height: number): ImageData {
  const across = Math.max(1, Math.min(grid.columns, Math.floor(width)))
  const down = Math.max(1, Math.min(grid.rows, Math.floor(height)))
  const picture = new ImageData(across, down)
  for (let x = 0; x < across; x++) {
    const columns = partOf(grid.columns, x, across)
    for (let y = 0; y < down; y++) {
      const value = highest(grid, columns, partOf(grid.rows, down - 1 - y, down))
      const place = Math.round((255 * (value - scale.low)) / (scale.high - scale.low))
      const colour = 3 * Math.min(255, Math.max(0, place))
      const pixel = 4 * (y * across + x)
      if (Number.isNaN(value)) continue
      picture.data[pixel] = VIRIDIS[colour]!
      picture.data[pixel + 1] = VIRIDIS[colour + 1]!
      picture.data[pixel + 2] = VIRIDIS[colour + 2]!
      picture.data[pixel + 3] = 255
    }
  }
  return picture
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
