import { SamplePyramid } from './sample-pyramid.ts'
import type { SampleRange } from './sample-range.ts'
import { decimalsOf, roundStep, ticks } from './ticks.ts'

export type PlotColours = { line: string; grid: string; text: string; cursor: string }

export type Waveform = {
  samples: Float64Array
  /** Samples a second. */
  frequency: number
}

export type Drawing = {
  range: SampleRange
  /** Width and height in pixels of CSS. */
  width: number
  height: number
  /** Pixels of the screen for each of CSS. */
  density: number
  colours: PlotColours
  /** The sample below the pointer. */
  cursor: number | undefined
  formatNumber(value: number, decimals: number): string
}

const MARGIN = { left: 72, right: 8, top: 8, bottom: 24 }
const PIXELS_A_TICK = { across: 90, up: 36 }
/** Samples are drawn as a line where there are no more than this for each pixel. */
const LINE_SAMPLES = 2

/**
 * Draws a waveform of any length: a line where samples are apart, else the extremes below each pixel.
 *
 * The time of a drawing depends on its pixels, not on the samples that it shows.
 */
export class WaveformPlot {
  readonly #pyramid: SamplePyramid
  readonly #frequency: number

  constructor({ samples, frequency }: Waveform) {
    this.#pyramid = new SamplePyramid(samples)
    this.#frequency = frequency
  }

  /** The sample at a pixel from the left. */
  sampleAt(pixel: number, { from, to }: SampleRange, width: number): number {
    return from + ((pixel - MARGIN.left) / innerWidth(width)) * (to - from)
  }

  draw(context: CanvasRenderingContext2D, drawing: Drawing): void {
    const { range, width, height, density, colours } = drawing
    context.setTransform(density, 0, 0, density, 0, 0)
    context.clearRect(0, 0, width, height)
    const inner = { width: innerWidth(width), height: height - MARGIN.top - MARGIN.bottom }
    if (inner.width <= 0 || inner.height <= 0) return
    const { low, high } = this.#bounds(range)
    const x = (sample: number) =>
      MARGIN.left + ((sample - range.from) / (range.to - range.from)) * inner.width
    const y = (value: number) => MARGIN.top + ((high - value) / (high - low)) * inner.height
    this.#drawAxes(context, drawing, { low, high, x, y })
    context.save()
    context.beginPath()
    context.rect(MARGIN.left, MARGIN.top, inner.width, inner.height)
    context.clip()
    context.strokeStyle = colours.line
    context.lineWidth = 1
    const isLine = range.to - range.from <= LINE_SAMPLES * inner.width
    if (isLine) this.#drawLine(context, range, x, y)
    else this.#drawExtremes(context, range, inner.width, y)
    this.#drawCursor(context, drawing, { x, y })
    context.restore()
  }

  /** The lowest and the highest value of a range, and some room. */
  #bounds({ from, to }: SampleRange): { low: number; high: number } {
    const { low, high } = this.#pyramid.extremes(Math.floor(from), Math.ceil(to))
    if (!(high >= low)) return { low: -1, high: 1 }
    const room = high > low ? (high - low) * 0.05 : Math.abs(high) * 0.05 || 1
    return { low: low - room, high: high + room }
  }

  #drawLine(
    context: CanvasRenderingContext2D,
    { from, to }: SampleRange,
    x: Scale,
    y: Scale,
  ): void {
    const { samples } = this.#pyramid
    const first = Math.max(0, Math.floor(from) - 1)
    const last = Math.min(samples.length - 1, Math.ceil(to) + 1)
    context.beginPath()
    for (let at = first; at <= last; at++) context.lineTo(x(at), y(samples[at]!))
    context.stroke()
  }

  #drawExtremes(
    context: CanvasRenderingContext2D,
    { from, to }: SampleRange,
    width: number,
    y: Scale,
  ): void {
    const each = (to - from) / width
    context.beginPath()
    for (let pixel = 0; pixel < width; pixel++) {
      const start = Math.floor(from + pixel * each)
      // One more, so that neighbours meet.
      const { low, high } = this.#pyramid.extremes(start, Math.floor(from + (pixel + 1) * each) + 1)
      if (high < low) continue
      context.moveTo(MARGIN.left + pixel + 0.5, y(high) - 0.5)
      context.lineTo(MARGIN.left + pixel + 0.5, y(low) + 0.5)
    }
    context.stroke()
  }

  #drawAxes(
    context: CanvasRenderingContext2D,
    drawing: Drawing,
    { low, high, x, y }: Scales,
  ): void {
    const { range, width, height, colours, formatNumber } = drawing
    const seconds = { from: range.from / this.#frequency, to: range.to / this.#frequency }
    const across = ticks(seconds.from, seconds.to, innerWidth(width) / PIXELS_A_TICK.across)
    const up = ticks(low, high, height / PIXELS_A_TICK.up)
    context.font = '12px system-ui, sans-serif'
    context.fillStyle = colours.text
    context.strokeStyle = colours.grid
    context.lineWidth = 1
    context.beginPath()
    for (const tick of across) {
      const place = Math.round(x(tick * this.#frequency)) + 0.5
      context.moveTo(place, MARGIN.top)
      context.lineTo(place, height - MARGIN.bottom)
    }
    for (const tick of up) {
      const place = Math.round(y(tick)) + 0.5
      context.moveTo(MARGIN.left, place)
      context.lineTo(width - MARGIN.right, place)
    }
    context.stroke()
    context.textAlign = 'center'
    context.textBaseline = 'top'
    const second = stepOf(across)
    for (const tick of across)
      context.fillText(
        formatNumber(tick, decimalsOf(second)),
        x(tick * this.#frequency),
        height - MARGIN.bottom + 6,
      )
    context.textAlign = 'right'
    context.textBaseline = 'middle'
    const value = stepOf(up)
    for (const tick of up)
      context.fillText(formatNumber(tick, decimalsOf(value)), MARGIN.left - 6, y(tick))
  }

  #drawCursor(
    context: CanvasRenderingContext2D,
    { cursor, height, colours }: Drawing,
    { x, y }: Pick<Scales, 'x' | 'y'>,
  ): void {
    const value = cursor === undefined ? undefined : this.#pyramid.samples[cursor]
    if (cursor === undefined || value === undefined) return
    context.strokeStyle = colours.cursor
    context.beginPath()
    context.moveTo(x(cursor), MARGIN.top)
    context.lineTo(x(cursor), height - MARGIN.bottom)
    context.stroke()
    context.beginPath()
    context.arc(x(cursor), y(value), 3, 0, 2 * Math.PI)
    context.stroke()
  }
}

type Scale = (value: number) => number
type Scales = { low: number; high: number; x: Scale; y: Scale }

const innerWidth = (width: number): number => Math.floor(width - MARGIN.left - MARGIN.right)

const stepOf = ([first = 0, second = first + roundStep(1)]: number[]): number => second - first
