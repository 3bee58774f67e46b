import type { Encoding } from '../../encodings/character-encoding.ts'
import type { Fields } from '../../encodings/csv/fields.ts'
import type { Line } from '../../encodings/csv/line.ts'
import { shorten } from '../../errors/show.ts'

/** Encodings of files of loggers and spreadsheets; every text of GBK is one of GB18030. */
const CANDIDATES: readonly Encoding[] = ['utf-8', 'gbk', 'windows-1252']

type Header = { fields: Fields; line: Line; encoding: Encoding }

/**
 * Names the encoding in which a header has a column that it lacks in that of the mapping. Where none
 * does, but bytes of the header are not valid, shows how it reads in others; else undefined.
 */
export function encodingHint(name: string, { fields, line, encoding }: Header): string | undefined {
  const others = CANDIDATES.filter((other) => other !== encoding).map((other) => ({
    encoding: other,
    line: line.as(other),
  }))
  const fitting = others.find((other) => hasName(fields, other.line, name))
  if (fitting !== undefined)
    return `; read as ${fitting.encoding} it has this column: expected "encoding: ${fitting.encoding}" in the mapping`
  if (!isGarbled(line)) return undefined
  const readable = others.filter((other) => !isGarbled(other.line))
  return readable.length === 0
    ? `; its bytes are not ${encoding}`
    : `; its bytes are not ${encoding}: ${readable.map(describe).join(', ')}`
}

function hasName(fields: Fields, line: Line, name: string): boolean {
  const names = fields.texts(line)
  return typeof names !== 'string' && names.some((other) => other.trim() === name)
}

const isGarbled = (line: Line): boolean => line.text.includes('\u{fffd}')

const describe = ({ encoding, line }: { encoding: Encoding; line: Line }): string =>
  `read as ${encoding} it begins ${JSON.stringify(shorten(line.text, 40))}`
