import type uPlot from 'uplot'
import { formatNumber } from '../state/format.ts'
import { colour } from './colours.ts'

const FONT = '12px system-ui, sans-serif'

/** What every axis of the console looks like. */
export const axis = (options: uPlot.Axis = {}): uPlot.Axis => ({
  stroke: colour('--text-quiet'),
  font: FONT,
  labelFont: FONT,
  labelSize: 20,
  grid: { stroke: colour('--line'), width: 1 },
  ticks: { stroke: colour('--line'), width: 1, size: 4 },
  ...options,
})

/** An axis of numbers with their unit above it. */
export const valueAxis = (options: uPlot.Axis = {}): uPlot.Axis =>
  axis({
    size: (_plot, values) => 24 + 7 * Math.max(2, ...(values ?? []).map((text) => text.length)),
    values: (_plot, splits) => splits.map((value) => formatNumber(value)),
    ...options,
  })
