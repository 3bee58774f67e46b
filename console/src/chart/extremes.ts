import type uPlot from 'uplot'
import { faint } from './colours.ts'

type Extremes = { edge: uPlot.Series; fill: string }

/**
 * How the smallest and the largest values beside a line of means are drawn: a line at each, and a band
 * between. The band alone is not seen where an extreme lasts for a moment.
 */
export const extremesOf = (ink: string): Extremes => ({
  edge: { stroke: faint(ink, 0.6), width: 1, points: { show: false } },
  fill: faint(ink, 0.22),
})
