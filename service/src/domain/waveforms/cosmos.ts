import { FIRST_LINE, readCosmosHeader, type CosmosHeader } from './cosmos-header.ts'
import { parseColumnFormat, readColumns } from './fixed-columns.ts'
import { readBlocks, readChannels } from './strong-motion.ts'
import { quote, TextLines } from './text-lines.ts'
import { invalid, type Waveform, type WaveformFormatReader } from './waveform.ts'

const HEADING =
  /^ *(\d+) +(.+?) +pts, *approx +[\d.]+ +secs?, *units= *(.*?)\((\d+)\), *Format= *(.*)$/i
const END = { line: /^ *End-of-data/i, name: '"End-of-data"' }
const ACCELERATION = /accel/i

/** COSMOS volumes 0, 1 and 2: raw counts, uncorrected and corrected values. */
export const cosmos: WaveformFormatReader = {
  recognises(head) {
    const lines = new TextLines(head)
    return lines.advance() && FIRST_LINE.test(lines.text())
  },

  read: (bytes) => readChannels(bytes, readChannel),
}

function readChannel(lines: TextLines): Waveform[] {
  const header = readCosmosHeader(lines)
  return readBlocks(lines, { channel: header.channel, end: END }, () => readBlock(lines, header))
}

function readBlock(lines: TextLines, header: CosmosHeader): Waveform {
  const text = lines.words()
  const place = `line ${lines.number}`
  const [, countText, quantity = '', unit = '', , formatText = ''] = HEADING.exec(text) ?? []
  const format = parseColumnFormat(formatText)
  if (countText === undefined || format === undefined) {
    throw invalid(
      `${place}: ${quote(text.trim())}, expected such as "42000 raw accel. pts, approx 210 secs, units= counts(50),Format=(1I8)" or "End-of-data"`,
    )
  }
  const { channel, start, sampleHz, seconds } = header
  const count = Number(countText)
  if (count < 1) throw invalid(`${place}: ${count} points are announced, expected at least 1`)
  if (seconds !== undefined && Math.abs(count - seconds * sampleHz) > 1.5) {
    throw invalid(
      `${place}: ${count} points are announced, but the header says ${seconds} s at ${sampleHz} Hz`,
    )
  }
  const name = ACCELERATION.test(quantity) ? channel : `${channel} ${quantity}`
  const samples = readColumns(lines, count, format)
  return { channel: name, start, sampleHz, unit: unit.trim(), samples }
}
