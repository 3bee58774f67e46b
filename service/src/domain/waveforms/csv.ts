import type { CsvTime, CsvWaveformOptions } from './csv-options.ts'
import { decodeText } from '../../encodings/character-encoding.ts'
import { BLANKS, Fields } from '../../encodings/csv/fields.ts'
import { CsvLines } from './csv-lines.ts'
import { csvTimeReader } from './csv-time.ts'
import { SampleTable } from './sample-table.ts'
import { quote } from './text-lines.ts'
import { checkRate, invalid, type Waveform, type WaveformFormatReader } from './waveform.ts'

const DEFAULT_TOLERANCE = 0.25
const MOST_COLUMNS = 1000
/** A longer name is not searched for a unit. */
const NAME_MAXIMUM = 200
const VALUES = /^[\s\d.,;:+\-eETZ"/]*$/
const DIGIT = /\d/
const NAME_AND_UNIT = /^(.*\S)\s*(?:\[([^[\]]*)\]|\(([^()]*)\))$/

/** Reads columns of a CSV file; the options have the sample rate or the column of the times. */
export const csv: WaveformFormatReader = {
  recognises(head) {
    if (head.some((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return false
    const lines = decodeText(head).split(/\r?\n/)
    return lines.some((line) => VALUES.test(line) && DIGIT.test(line))
  },

  read(bytes, options = {}) {
    const settings = options.csv ?? {}
    return readTable(new CsvLines(bytes), settings, timingOf(settings))
  },
}

/** The sample rate, or the times that it is computed from, or both. */
type Timing =
  { time: CsvTime; sampleHz: number | undefined } | { time: undefined; sampleHz: number }

function timingOf({ sampleHz, time }: CsvWaveformOptions): Timing {
  if (time !== undefined) return { time, sampleHz }
  if (sampleHz !== undefined) return { time, sampleHz }
  throw invalid('a CSV file has no sample rate, expected sampleFreq or a time column')
}

function readTable(lines: CsvLines, settings: CsvWaveformOptions, timing: Timing): Waveform[] {
  const { delimiter = ',', decimal = '.', headerRow = 1 } = settings
  if (!/^[\x20\x21\x23-\x7e\t]$/.test(delimiter) || delimiter === decimal) {
    throw invalid(`delimiter is ${quote(delimiter)}, expected one character but the decimal sign`)
  }
  const { dataRow = headerRow + 1 } = settings
  const fields = new Fields({
    delimiter: delimiter === ' ' ? BLANKS : delimiter,
    decimalComma: decimal === ',',
  })
  const names = readNames(lines, fields, headerRow)
  while (lines.number < dataRow && lines.advance());
  if (lines.number < dataRow || lines.line.isBlank) {
    throw invalid(`line ${lines.number} has no values, expected the first in line ${dataRow}`)
  }
  split(fields, lines)
  const width = fields.count
  const { time } = timing
  const timeColumn = time && columnOf(time.column, names, width)
  const columns = columnsOf(settings, names, width, timeColumn)

  const clock = time && csvTimeReader(time)
  const rows = new SampleTable(columns.length + 1)
  for (let isRow = true; isRow; isRow = advanceToRow(lines)) {
    split(fields, lines)
    if (fields.count !== width) {
      throw invalid(`line ${lines.number} has ${fields.count} fields, expected ${width}`)
    }
    rows.push(clock && timeColumn !== undefined ? clock.read(fields, timeColumn, lines.number) : 0)
    for (const column of columns) {
      const value = fields.number(column)
      if (!Number.isFinite(value)) throw noNumber(lines, fields, column)
      rows.push(value)
    }
  }

  const sampleHz =
    timing.time === undefined
      ? checkRate(timing.sampleHz, 'sampleFreq')
      : rateOf(rows.column(0), timing, dataRow)
  const start = clock?.start ?? settings.start
  return columns.map((column, index) => ({
    ...nameAndUnit(names[column], column, settings.unit),
    start,
    sampleHz,
    samples: rows.column(index + 1),
  }))
}

/** Moves to the next line of values; blank lines are allowed at the end only. */
function advanceToRow(lines: CsvLines): boolean {
  if (!lines.advance()) return false
  const blank = lines.number
  while (lines.line.isBlank) if (!lines.advance()) return false
  if (lines.number === blank) return true
  throw invalid(`line ${blank} is blank, expected values, because line ${lines.number} has some`)
}

function readNames(lines: CsvLines, fields: Fields, headerRow: number): string[] {
  while (lines.number < headerRow && lines.advance());
  if (lines.number < headerRow) {
    throw invalid(`line ${lines.number} is the last, expected names in line ${headerRow}`)
  }
  if (headerRow === 0) return []
  split(fields, lines)
  return Array.from({ length: fields.count }, (_, field) => fields.text(field).trim())
}

function split(fields: Fields, { line }: CsvLines): void {
  const reason = fields.split(line)
  if (reason !== undefined) throw invalid(`line ${line.number}: ${reason}`)
}

function columnOf(wanted: string | number, names: readonly string[], width: number): number {
  const column = typeof wanted === 'number' ? wanted - 1 : names.indexOf(wanted)
  if (Number.isInteger(column) && column >= 0 && column < width) return column
  const known = names.length === 0 ? `1 to ${width}` : quote(names.join(', '), 200)
  throw invalid(
    `the file has no column ${typeof wanted === 'number' ? wanted : quote(wanted)}, expected one of ${known}`,
  )
}

function columnsOf(
  { columns }: CsvWaveformOptions,
  names: readonly string[],
  width: number,
  time: number | undefined,
): number[] {
  const count = columns?.length ?? width - (time === undefined ? 0 : 1)
  if (count > MOST_COLUMNS) {
    throw invalid(`the file has ${count} columns of samples, expected at most ${MOST_COLUMNS}`)
  }
  const found =
    columns?.map((column) => columnOf(column, names, width)) ??
    Array.from({ length: width }, (_, column) => column).filter((column) => column !== time)
  if (found.length > 0) return found
  throw invalid('the file has no column of samples, expected at least one beside the time')
}

/** The given rate, or that of the first and the last time; refuses a time that does not fit it. */
function rateOf(
  seconds: Float64Array,
  { time, sampleHz: givenHz }: Timing & { time: CsvTime },
  dataRow: number,
): number {
  const [span = 0] = seconds.subarray(-1)
  const place = `line ${dataRow + seconds.length - 1}`
  if (givenHz === undefined && !(span > 0)) {
    throw invalid(`${place}: the last time is ${span} s after the first, expected more than 0`)
  }
  const sampleHz = checkRate(givenHz ?? (seconds.length - 1) / span, place)
  const { tolerance = DEFAULT_TOLERANCE } = time
  for (let row = 0; row < seconds.length; row++) {
    const off = seconds[row]! * sampleHz - row
    if (Math.abs(off) <= tolerance) continue
    throw invalid(
      `line ${dataRow + row}: time is ${off.toFixed(2)} sample periods from its time at ${sampleHz} Hz, expected at most ${tolerance}`,
    )
  }
  return givenHz ?? wholeRate(sampleHz, span, tolerance)
}

/** The rate rounded to whole hertz if that moves the last sample by at most 0.01 periods. */
function wholeRate(sampleHz: number, span: number, tolerance: number): number {
  const whole = Math.round(sampleHz)
  return Math.abs(whole - sampleHz) * span <= Math.min(tolerance, 0.01) && whole > 0
    ? whole
    : sampleHz
}

function nameAndUnit(
  name: string | undefined,
  column: number,
  unit: string | undefined,
): { channel: string; unit: string } {
  const channel = name || `column ${column + 1}`
  const found = channel.length > NAME_MAXIMUM ? null : NAME_AND_UNIT.exec(channel)
  if (found === null || unit !== undefined) return { channel, unit: unit ?? '' }
  const [, bareName = channel, inSquare, inRound = ''] = found
  return { channel: bareName, unit: (inSquare ?? inRound).trim() }
}

function noNumber({ number }: CsvLines, fields: Fields, column: number): Error {
  const text = quote(fields.text(column), 30)
  return invalid(`line ${number}, column ${column + 1}: ${text}, expected a finite number`)
}
