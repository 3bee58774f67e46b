import type uPlot from 'uplot'
import { sharedDecimals } from '../plots/ticks.ts'
import { formatNumber } from '../state/format.ts'
import { colour } from './colours.ts'
import { formatLocal } from './local-time.ts'

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
    size: (_plot, values) => 16 + 7 * Math.max(2, ...(values ?? []).map((text) => text.length)),
    values: (_plot, splits) => {
      const decimals = sharedDecimals(splits)
      return splits.map((value) => formatNumber(value, decimals))
    },
    ...options,
  })

/** An axis of local time, with the day below its first hour. */
export const timeAxis = (options: uPlot.Axis = {}): uPlot.Axis =>
  axis({
    space: 80,
    values: (_plot, splits, _axis, _space, increment) =>
      splits.map((at, index) => tickOf(at, splits[index - 1], increment)),
    ...options,
  })

const DAY = 86_400

function tickOf(at: number, before: number | undefined, increment: number): string {
  const text = formatLocal(at)
  const [date = '', time = ''] = text.split(' ')
  if (increment >= 28 * DAY) return date.slice(0, 7)
  if (increment >= DAY)
    return before === undefined || date.slice(0, 4) !== formatLocal(before).slice(0, 4)
      ? date
      : date.slice(5)
  const short =
    increment >= 60 ? time.slice(0, 5) : increment >= 1 ? time.slice(0, 8) : time.slice(3)
  const isNewDay = before === undefined || Math.floor(before / DAY) !== Math.floor(at / DAY)
  return isNewDay ? `${short}\n${date}` : short
}
