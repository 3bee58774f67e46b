import { gzipSync } from 'node:zlib'

export type ThemeRecord = { station: number; time: string; values: Record<string, number> }

export type VibrationBatch = {
  station: number
  collectTime: string
  sampleFreq: number
  unit: string
  samples: number[]
}

export type TrafficRecord = {
  structure: number
  time: string
  id: string
  license: string
  lane: string
  direction: 0 | 1
  axleCount: number
  load: number
  axleLoad: string
  overload: boolean
  speed: number
  class: string
  axleLoads: number[]
  axleSpacings: number[]
  limit: number
}

/** Records as gzipped NDJSON; the same records give the same bytes on every system. */
export function pack(records: readonly object[]): Buffer {
  const bytes = gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join(''), {
    level: 9,
  })
  // The header's ninth byte names the operating system; 255 is "unknown" (RFC 1952).
  bytes[9] = 255
  return bytes
}

export function round(value: number, digits: number): number {
  const scale = 10 ** digits
  const rounded = Math.round(value * scale) / scale
  return rounded === 0 ? 0 : rounded
}

/** A number of a source file; a field that is no finite number stops the build. */
export function parseNumber(text: string | undefined): number {
  const value = text === undefined || text.trim() === '' ? NaN : Number(text)
  if (!Number.isFinite(value)) throw new Error(`not a number: ${text}`)
  return value
}
