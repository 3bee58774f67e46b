import { join } from 'node:path'
import type { VibrationBatch } from './records.ts'
import { parseNumber } from './records.ts'
import { readZip } from './zip.ts'

const FIRST_STATION = 3001
const CHANNELS = 12
const FIELD_WIDTH = 10
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** One batch for each channel: the corrected acceleration of its CSMIP volume 2 file. */
export function readCapistranoBridge(folder: string): VibrationBatch[] {
  const files = readZip(join(folder, 'Inglewood_17May2009_CE13795P.zip'))
  return Array.from({ length: CHANNELS }, (_, index) => {
    const name = `CHAN${String(index + 1).padStart(3, '0')}.V2`
    const file = files.get(name)
    if (file === undefined) throw new Error(`${name} is missing`)
    return readVolume2(file.toString('latin1').split(/\r?\n/), FIRST_STATION + index)
  })
}

function readVolume2(lines: readonly string[], station: number): VibrationBatch {
  const start = lines.findIndex((line) => line.includes('points of accel data equally spaced'))
  const heading = /^\s*(\d+) points .* at\s+([.\d]+) sec, in cm\/sec2\. +\(8f10\.6\)/.exec(
    lines[start] ?? '',
  )
  if (heading === null) throw new Error(`no acceleration block for station ${station}`)
  const count = parseNumber(heading[1])

  const samples: number[] = []
  for (let at = start + 1; samples.length < count; at++) {
    const line = lines[at] ?? ''
    for (let from = 0; from < line.length; from += FIELD_WIDTH) {
      samples.push(parseNumber(line.slice(from, from + FIELD_WIDTH)))
    }
  }
  return {
    station,
    collectTime: localStart(lines),
    sampleFreq: Math.round(1 / parseNumber(heading[2])),
    unit: 'cm/s2',
    samples,
  }
}

/** `Record of Sun May 17, 2009 20:39:38.0 PDT` is `2009-05-17 20:39:38`. */
function localStart(lines: readonly string[]): string {
  const pattern = /Record of \w{3} (\w{3}) (\d+), (\d{4}) (\d\d:\d\d:\d\d)\.\d P[DS]T/
  const found = lines.map((line) => pattern.exec(line)).find((match) => match !== null)
  if (!found) throw new Error('no start time in the header')
  const [, month, day, year, clock] = found
  const monthNumber = MONTHS.indexOf(month ?? '') + 1
  return `${year}-${String(monthNumber).padStart(2, '0')}-${day?.padStart(2, '0')} ${clock}`
}
