import { readCsmipHeader, type CsmipHeader } from './csmip-header.ts'
import { parseColumnFormat, readColumns, type ColumnFormat } from './fixed-columns.ts'
import { rateOfWritten } from './rate-of-interval.ts'
import { readBlocks, readChannels } from './strong-motion.ts'
import { quote, TextLines } from './text-lines.ts'
import { checkRate, invalid, type Waveform, type WaveformFormatReader } from './waveform.ts'

/** The line before a block of values. */
type Heading = {
  count: number
  quantity: string
  sampleHz: number
  unit: string
  format: ColumnFormat
}

const RAW =
  /^\s*(\d+) +(\w+) points at +([\d.]+) *pts\/sec in units of +(.+?) *\. *(?:Format:)?(.*)$/i
const EVEN = /^\s*(\d+) +points of +(\w+) +data equally spaced at +([\d.]+) *sec, *in +(\S+)(.*)$/i
/** Files of the 1980s and 1990s; they do not state the format of the values. */
const OLD =
  /^\s*(\d+) +points of +(\w+) +data equally spaced at +([\d.]+) *sec\. *\(units: *([^)]+)\) *$/i
/** Source of the widths: USGS groundmotion-processing, `gmprocess/io/dmg/core.py`. */
const OLD_FORMAT = { 1: { perLine: 8, width: 9 }, 2: { perLine: 8, width: 10 } } as const
const END = { line: /^\/&/, name: 'its end, "/&"' }

/** Reads CSMIP volumes 1 and 2; volume 2 has velocity and displacement of each channel too. */
export const csmip: WaveformFormatReader = {
  recognises(head) {
    const lines = new TextLines(head)
    return (
      lines.advance() &&
      /^\s*((un)?corrected accelerogram|response and fourier)/i.test(lines.text())
    )
  },

  read: (bytes) => readChannels(bytes, readChannel),
}

function readChannel(lines: TextLines): Waveform[] {
  const header = readCsmipHeader(lines)
  const { channel, start } = header
  return readBlocks(lines, { channel, end: END }, (place) => {
    const { count, quantity, sampleHz, unit, format } = readHeading(lines, header)
    checkCount(lines, header, count, place)
    const name = /^accel/i.test(quantity) ? channel : `${channel} ${quantity}`
    const samples = readColumns(lines, count, format)
    return { channel: name, start, sampleHz, unit, samples }
  })
}

function readHeading(lines: TextLines, { volume }: CsmipHeader): Heading {
  const text = lines.words()
  const place = `line ${lines.number}`
  const old = OLD.exec(text)
  const raw = RAW.exec(text)
  const found = old ?? raw ?? EVEN.exec(text)
  if (found === null) {
    throw invalid(
      `${place}: ${quote(text.trim())}, expected a heading such as "12800 points of accel data equally spaced at .005 sec, in cm/sec2. (8f10.6)" or "/&"`,
    )
  }
  const [, count, quantity = '', spacing = '', unit = '', formatText = ''] = found
  const format = old === null ? parseColumnFormat(formatText) : OLD_FORMAT[volume]
  if (format === undefined) {
    throw invalid(
      `${place}: the heading of ${count} points ends with ${quote(formatText.trim())}, expected their format, such as "(8f10.6)"`,
    )
  }
  const rate = raw === null ? rateOfWritten(spacing) : Number(spacing)
  return {
    count: Number(count),
    quantity: quantity.toLowerCase(),
    sampleHz: checkRate(rate, place),
    unit: unit.replace(/\.$/, '').trim(),
    format,
  }
}

/** Refuses a first block whose length differs from the text header or the integer header. */
function checkCount(lines: TextLines, header: CsmipHeader, count: number, block: number): void {
  const place = `line ${lines.number}: the heading announces ${count} points`
  if (count < 1) throw invalid(`${place}, expected at least 1`)
  for (const [name, other] of [
    ['text', header.textCount],
    ['integer', header.headerCount],
  ] as const) {
    if (block > 0 || other === 0 || other === count) continue
    throw invalid(`${place}, but the ${name} header ${other}`)
  }
}
