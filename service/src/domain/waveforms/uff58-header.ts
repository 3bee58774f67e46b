import { rateOfWritten } from './rate-of-interval.ts'
import { quote, type TextLines } from './text-lines.ts'
import { checkRate, invalid } from './waveform.ts'

/** The contents of the eleven lines before the values of a time history. */
export type Uff58Header = {
  channel: string
  unit: string
  sampleHz: number
  count: number
  isDouble: boolean
}

const LINES = 11
const TIME_RESPONSE = 1
const GENERAL = 0
const TIME = 17
const UNKNOWN = 0
const EVEN = 1
const REAL_SINGLE = 2
const REAL_DOUBLE = 4
const COMPLEX = new Set([5, 6])
const DIRECTIONS = ['', '+X', '+Y', '+Z', '+RX', '+RY', '+RZ']

/**
 * Reads records 1 to 11 (SDRC, universal dataset 58); refuses other datasets than evenly spaced,
 * real time histories.
 *
 * Text and numbers are in fixed columns of characters, in UTF-8 or Latin-1.
 */
export function readUff58Header(lines: TextLines, dataset: number): Uff58Header {
  const first = lines.number + 1
  const texts = Array.from({ length: LINES }, (_, index) => {
    if (lines.advance()) return lines.text()
    throw invalid(
      `line ${lines.number}: dataset ${dataset} ends after ${index} of ${LINES} header lines`,
    )
  })
  const [title = '', , , , , dof = '', form = '', , ordinate = '', denominator = ''] = texts
  const whole = (record: number, from: number, to: number): number => {
    const text = (texts[record - 1] ?? '').slice(from, to).trim()
    if (/^[+-]?\d+$/.test(text)) return Number(text)
    const place = `line ${first + record - 1}, columns ${from + 1} to ${to}`
    throw invalid(`${place}: ${quote(text)}, expected a whole number`)
  }

  checkTimeHistory(whole(6, 0, 5), whole(8, 0, 10), whole(8, 0, 10) === TIME, {
    place: (record) => `line ${first + record - 1}`,
    dataset,
  })
  const type = whole(7, 0, 10)
  const formLine = `line ${first + 6}`
  if (type !== REAL_SINGLE && type !== REAL_DOUBLE) {
    const kind = COMPLEX.has(type) ? 'complex' : 'unknown'
    throw invalid(`${formLine}: ordinate type is ${type}, ${kind}, expected 2 or 4, real`)
  }
  if (whole(7, 20, 30) !== EVEN) {
    throw invalid(`${formLine}: abscissa spacing is ${whole(7, 20, 30)}, expected 1, even`)
  }
  const count = whole(7, 10, 20)
  if (count < 1) throw invalid(`${formLine}: ${count} values are announced, expected at least 1`)
  return {
    channel: dofOf(dof) || title.trim().replace(/^NONE$/, '') || `dataset ${dataset}`,
    unit: [labelOf(ordinate), labelOf(denominator)].filter((label) => label !== '').join('/'),
    sampleHz: checkRate(rateOfWritten(form.slice(43, 56)), `${formLine}, columns 44 to 56`),
    count,
    isDouble: type === REAL_DOUBLE,
  }
}

function checkTimeHistory(
  kind: number,
  abscissa: number,
  isTime: boolean,
  { place, dataset }: { place: (record: number) => string; dataset: number },
): void {
  const isHistory =
    (kind === TIME_RESPONSE && (isTime || abscissa === UNKNOWN)) || (kind === GENERAL && isTime)
  if (isHistory) return
  throw invalid(
    `${place(6)}: dataset ${dataset} has function type ${kind} over abscissa type ${abscissa} (${place(8)}), expected a time history: 1 or 0 over 17`,
  )
}

/** Returns the entity's name, its node and its direction, such as `Mic 01 12+Z`. */
function dofOf(line: string): string {
  const entity = line.slice(31, 41).trim()
  const node = Number(line.slice(41, 51)) || 0
  const direction = Number(line.slice(51, 55)) || 0
  const name = entity === 'NONE' ? '' : entity
  if (node === 0 && direction === 0) return name
  const axis = DIRECTIONS[Math.abs(direction)] ?? ` direction ${direction}`
  return `${name} ${node}${direction < 0 ? axis.replace('+', '-') : axis}`.trim()
}

function labelOf(line: string): string {
  const label = line.slice(46, 66).trim()
  return label === 'NONE' ? '' : label
}
