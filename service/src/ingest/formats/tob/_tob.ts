import { column } from '../_read.ts'

/** Seconds from 1990 to 2026-01-01 00:00:00. */
export const BEGIN = (Date.UTC(2026, 0, 1) - Date.UTC(1990, 0, 1)) / 1000

export const TOB1 = `format: tob1\ncolumns:\n${column('Strain', 'x')}${column('Temp', 'y')}`
export const TOB3 = TOB1.replace('tob1', 'tob3')

const textOf = (lines: readonly (readonly string[])[]): Buffer =>
  Buffer.from(lines.map((line) => `${line.map((field) => `"${field}"`).join()}\r\n`).join(''))

export const TOB1_HEADER = textOf([
  ['TOB1', 'S', 'CR3000', '1', 'Std', 'CPU:p.CR3', '2', 'T'],
  ['SECONDS', 'NANOSECONDS', 'RECORD', 'Strain', 'Temp', 'Note'],
  ['SECONDS', 'NANOSECONDS', 'RN', 'um/m', 'C', ''],
  ['', '', '', 'Smp', 'Avg', 'Smp'],
  ['ULONG', 'ULONG', 'ULONG', 'IEEE4', 'FP2', 'ASCII(4)'],
])

/** A record of a TOB1 file, 50 ms after the one before. */
export function tob1Record(index: number, strain: number, fp2: number): Buffer {
  const record = Buffer.alloc(22)
  const milliseconds = index * 50
  record.writeUInt32LE(BEGIN + Math.floor(milliseconds / 1000), 0)
  record.writeUInt32LE((milliseconds % 1000) * 1_000_000, 4)
  record.writeUInt32LE(index, 8)
  record.writeFloatLE(strain, 12)
  record.writeUInt16BE(fp2, 16)
  record.write('a"\n', 18)
  return record
}

export const STAMP = 12_345
/** Two records of six bytes between header and footer. */
export const FRAME_BYTES = 12 + 2 * 6 + 4

export const tob3Header = (interval = '50 MSEC'): Buffer =>
  textOf([
    ['TOB3', 'S', 'CR3000', '1', 'Std', 'CPU:p.CR3', '2', '2026-01-01 00:00:00'],
    ['T', interval, String(FRAME_BYTES), '1000', String(STAMP), 'Sec100Usec', '0', '0', '0'],
    ['Strain', 'Temp'],
    ['um/m', 'C'],
    ['Smp', 'Avg'],
    ['IEEE4', 'FP2'],
  ])

/** The frame of records `2 * index` and `2 * index + 1`, with the temperatures 20.0 and 20.1. */
export function tob3Frame(index: number, { stamp = STAMP, flags = 0 } = {}): Buffer {
  const frame = Buffer.alloc(FRAME_BYTES)
  const milliseconds = index * 100
  frame.writeUInt32LE(BEGIN + Math.floor(milliseconds / 1000), 0)
  frame.writeUInt32LE((milliseconds % 1000) * 10, 4)
  frame.writeUInt32LE(2 * index, 8)
  for (const row of [0, 1]) {
    frame.writeFloatLE(2 * index + row, 12 + row * 6)
    frame.writeUInt16BE(0x2000 | (200 + row), 16 + row * 6)
  }
  frame.writeUInt32LE(((stamp << 16) | flags) >>> 0, FRAME_BYTES - 4)
  return frame
}

/** The rows of that frame as `shown` writes them. */
export const tob3Rows = (index: number): string[] =>
  [0, 1].map((row) => {
    const time = new Date(Date.UTC(2026, 0, 1) + index * 100 + row * 50).toISOString()
    return `${time} x=${2 * index + row} y=${row === 0 ? 20 : 20.1}`
  })
