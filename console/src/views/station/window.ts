/** A span of local time in seconds, as `local-time.ts` counts it. */
export type Window = Readonly<{ from: number; to: number }>

const DAY = 86_400

export const PRESETS = {
  hour: 3600,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  year: 365 * DAY,
} as const

export type Preset = keyof typeof PRESETS

/** The shortest span that can be shown, and the longest. */
const SHORTEST = 0.01
const LONGEST = 200 * 365 * DAY

/** The window times `factor` as long; what is at `at` stays there. */
export function zoom({ from, to }: Window, factor: number, at = (from + to) / 2): Window {
  const length = to - from
  const next = Math.min(Math.max(length * factor, SHORTEST), LONGEST)
  const start = at - ((at - from) * next) / length
  return round({ from: start, to: start + next })
}

/** The window moved by parts of its length: 0.5 is half of it later. */
export function shift({ from, to }: Window, parts: number): Window {
  const step = (to - from) * parts
  return round({ from: from + step, to: to + step })
}

/** A window of this length whose end shows the newest record. */
export const endingAt = (newest: number, length: number): Window =>
  round({ from: newest - length, to: newest })

/** Around what there is, with a margin, where it fills little of the window. */
export function fit(window: Window, first: number, last: number): Window {
  const isFilled = (last - first) * 4 > window.to - window.from
  if (isFilled || !Number.isFinite(last - first)) return window
  const margin = Math.max((last - first) * 0.02, 1)
  return round({ from: first - margin, to: last + margin })
}

/** Long windows are of whole seconds, as people read and send them. */
function round({ from, to }: Window): Window {
  const unit = to - from > 60 ? 1 : 1000
  return { from: Math.floor(from * unit) / unit, to: Math.ceil(to * unit) / unit }
}
