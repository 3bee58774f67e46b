import { readColumns, type ColumnFormat } from './fixed-columns.ts'
import { quote, TextLines } from './text-lines.ts'
import { readUff58Header, type Uff58Header } from './uff58-header.ts'
import {
  checkSamples,
  invalid,
  type Waveform,
  type WaveformFormatReader,
  type WaveformSamples,
} from './waveform.ts'

const DELIMITER = /^ {4}-1 *$/
const SINGLE: ColumnFormat = { perLine: 6, width: 13 }
const DOUBLE: ColumnFormat = { perLine: 4, width: 20 }
const LITTLE = 1
const BIG = 2
const IEEE = 2

/** Reads time histories of universal files: datasets 58 and 58b. Other datasets are skipped. */
export const uff58: WaveformFormatReader = {
  recognises(head) {
    const lines = new TextLines(head)
    return lines.advance() && DELIMITER.test(lines.text())
  },

  read(bytes) {
    const lines = new TextLines(bytes)
    const waveforms: Waveform[] = []
    for (let dataset = 1; lines.advance(); dataset++) {
      if (lines.isBlank()) {
        dataset--
        continue
      }
      if (!DELIMITER.test(lines.text())) {
        throw invalid(
          `line ${lines.number}: ${quote(lines.text(), 20)}, expected "    -1" before dataset ${dataset}`,
        )
      }
      const waveform = readDataset(lines, dataset)
      if (waveform !== undefined) waveforms.push(waveform)
    }
    if (waveforms.length === 0) throw invalid('the file has no dataset 58, expected at least one')
    return waveforms
  },
}

/** Returns undefined for a dataset of another kind. */
function readDataset(lines: TextLines, dataset: number): Waveform | undefined {
  if (!lines.advance()) {
    throw invalid(`line ${lines.number}: the file ends where dataset ${dataset} begins`)
  }
  const text = lines.text()
  const kind = text.slice(0, 7).trim()
  if (kind !== '58' && kind !== '58b') {
    skipDataset(lines, dataset)
    return undefined
  }
  const place = `line ${lines.number}`
  const binary = kind === '58b' ? readBinary(text, place) : undefined
  const header = readUff58Header(lines, dataset)
  const { channel, unit, sampleHz } = header
  const samples =
    binary === undefined
      ? readColumns(lines, header.count, header.isDouble ? DOUBLE : SINGLE)
      : readBytes(lines, header, binary, place)
  if (!lines.advance() || !DELIMITER.test(lines.text())) {
    throw invalid(
      `line ${lines.number}: ${quote(lines.text(), 20)}, expected "    -1" after ${header.count} values of dataset ${dataset}`,
    )
  }
  return { channel, start: undefined, sampleHz, unit, samples }
}

function skipDataset(lines: TextLines, dataset: number): void {
  const first = lines.number
  while (lines.advance()) if (DELIMITER.test(lines.text())) return
  throw invalid(`line ${first}: dataset ${dataset} does not end with "    -1": truncated`)
}

type Binary = { isLittle: boolean; size: number }

/** Reads the fields after `58b`: byte order, kind of floats, header lines and bytes of data. */
function readBinary(text: string, place: string): Binary {
  const field = (from: number, to: number): number => Number(text.slice(from, to).trim() || NaN)
  const order = field(7, 13)
  const floats = field(13, 19)
  const headers = field(19, 31)
  if (order !== LITTLE && order !== BIG) {
    throw invalid(`${place}: byte order is ${order}, expected 1, little-endian, or 2, big-endian`)
  }
  if (floats !== IEEE) throw invalid(`${place}: kind of floats is ${floats}, expected 2, IEEE 754`)
  if (headers !== 11) throw invalid(`${place}: ${headers} header lines are announced, expected 11`)
  return { isLittle: order === LITTLE, size: field(31, 43) }
}

function readBytes(
  lines: TextLines,
  { count, isDouble }: Uff58Header,
  { isLittle, size }: Binary,
  place: string,
): WaveformSamples {
  const width = isDouble ? 8 : 4
  if (size !== count * width || size > lines.left) {
    const reason = size > lines.left ? `but ${lines.left} follow` : `expected ${count * width}`
    throw invalid(`${place}: ${size} bytes of data are announced for ${count} values, ${reason}`)
  }
  const from = lines.next
  const view = new DataView(lines.bytes.buffer, lines.bytes.byteOffset + from, size)
  const samples = isDouble ? new Float64Array(count) : new Float32Array(count)
  for (let index = 0; index < count; index++) {
    samples[index] = isDouble
      ? view.getFloat64(8 * index, isLittle)
      : view.getFloat32(4 * index, isLittle)
  }
  checkSamples(samples, `byte ${from}`)
  lines.skip(size)
  return samples
}
