import { formatNumber } from '../state/format.ts'
import { decimalsOf, ticks } from './ticks.ts'

export type Axis = { name: string; unit: string; from: number; to: number }

/** The axis upwards, or the name of each row from below. */
export type Upward = Axis | readonly string[]

/** Where the picture lies in its canvas, in pixels of CSS. */
export type Frame = { left: number; top: number; width: number; height: number }

export type Cell = { column: number; row: number }

const BOTTOM = 24
const RIGHT = 16
const TOP = 8
const FONT = '12px system-ui, sans-serif'
const PIXELS_A_TICK = { across: 64, up: 36, row: 16 }
const NARROW_PIXELS = 520

export const namesOf = (up: Upward): readonly string[] | undefined =>
  Array.isArray(up) ? (up as readonly string[]) : undefined

export const axisOf = (up: Upward): Axis | undefined =>
  Array.isArray(up) ? undefined : (up as Axis)

/** The room of the picture beside what is written left of it. */
export function frameOf(up: Upward, width: number, height: number): Frame {
  const left = axisOf(up) ? 56 : width < NARROW_PIXELS ? 88 : 148
  return { left, top: TOP, width: Math.max(1, width - left - RIGHT), height: height - TOP - BOTTOM }
}

/** Draws the numbers or names around a picture. */
export function drawAxes(
  context: CanvasRenderingContext2D,
  frame: Frame,
  { across, up, colours }: { across: Axis; up: Upward; colours: { text: string; line: string } },
): void {
  const { left, top, width, height } = frame
  context.font = FONT
  context.fillStyle = colours.text
  context.strokeStyle = colours.line
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1)
  context.textAlign = 'center'
  context.textBaseline = 'top'
  for (const { text, place } of ticksOf(across, width / PIXELS_A_TICK.across))
    context.fillText(text, left + place * width, top + height + 6)
  context.textAlign = 'right'
  context.textBaseline = 'middle'
  const axis = axisOf(up)
  const beside = axis
    ? ticksOf(axis, height / PIXELS_A_TICK.up)
    : rowNames(namesOf(up) ?? [], frame)
  for (const { text, place } of beside) context.fillText(text, left - 6, top + (1 - place) * height)
}

type Tick = { text: string; place: number }

function ticksOf({ from, to }: Axis, most: number): Tick[] {
  const all = ticks(from, to, most)
  const decimals = decimalsOf((all[1] ?? to) - (all[0] ?? from))
  return all.map((tick) => ({
    text: formatNumber(tick, decimals),
    place: (tick - from) / (to - from),
  }))
}

/** As many names as there is room for, from the top; without the year where there is little room. */
function rowNames(names: readonly string[], { left, height }: Frame): Tick[] {
  const each = Math.max(1, Math.ceil((PIXELS_A_TICK.row * names.length) / height))
  return names.flatMap((name, row) =>
    (names.length - 1 - row) % each === 0
      ? [{ text: left < 100 ? name.slice(5, 16) : name, place: (row + 0.5) / names.length }]
      : [],
  )
}

/** Draws lines through a cell of a grid, which are seen on light and on dark. */
export function drawCell(
  context: CanvasRenderingContext2D,
  { left, top, width, height }: Frame,
  cell: { x: number; y: number },
): void {
  for (const { style, line } of CELL_LINES) {
    context.strokeStyle = style
    context.lineWidth = line
    context.beginPath()
    context.moveTo(left + cell.x * width, top)
    context.lineTo(left + cell.x * width, top + height)
    context.moveTo(left, top + (1 - cell.y) * height)
    context.lineTo(left + width, top + (1 - cell.y) * height)
    context.stroke()
  }
}

const CELL_LINES = [
  { style: 'rgb(0 0 0 / 60%)', line: 3 },
  { style: '#ffffff', line: 1 },
]
