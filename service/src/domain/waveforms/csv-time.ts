import type { Fields } from '../../encodings/csv/fields.ts'
import type { CsvTime } from './csv-options.ts'
import { quote } from './text-lines.ts'
import {
  laterBy,
  millisecondsBetween,
  parseClock,
  startOfClock,
  type WaveformStart,
} from './waveform-start.ts'
import { invalid } from './waveform.ts'

/** Reads the fields of a time column in order. */
type CsvTimeReader = {
  /** Returns the seconds since the first row; refuses a field that is not a time. */
  read(fields: Fields, field: number, line: number): number
  /** The instant of the first row; undefined if the column has no instants. */
  readonly start: WaveformStart | undefined
}

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?: *(Z|UTC|[+-]\d\d(?::?\d\d)?))?$/

/** Returns a reader of a time column. */
export function csvTimeReader(time: CsvTime): CsvTimeReader {
  return time.kind === 'text' ? new TextTimes(time) : new NumberTimes(time.kind)
}

class NumberTimes implements CsvTimeReader {
  readonly #unitsPerSecond: number
  readonly #isEpoch: boolean
  #first: number | undefined
  #firstText = ''

  constructor(kind: Exclude<CsvTime['kind'], 'text'>) {
    this.#unitsPerSecond = kind === 'seconds' || kind === 'epochSeconds' ? 1 : 1000
    this.#isEpoch = kind === 'epochSeconds' || kind === 'epochMilliseconds'
  }

  get start(): WaveformStart | undefined {
    if (!this.#isEpoch) return undefined
    // From the digits: a double has none for nanoseconds.
    const [whole = '', fraction = ''] = this.#firstText.split(/[.,]/)
    const digits = this.#unitsPerSecond === 1 ? 9 : 6
    const nanoseconds = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
    const milliseconds = Number(nanoseconds / 1_000_000n)
    return laterBy({ milliseconds, nanoseconds: 0 }, Number(nanoseconds % 1_000_000n))
  }

  read(fields: Fields, field: number, line: number): number {
    const value = fields.number(field)
    if (!Number.isFinite(value)) throw noTime(fields, field, line, 'a number')
    if (this.#first === undefined) {
      this.#first = value
      this.#firstText = fields.text(field).trim()
      if (this.#isEpoch && !/^\d{1,15}(?:[.,]\d*)?$/.test(this.#firstText)) {
        throw noTime(fields, field, line, 'digits since 1970')
      }
    }
    return (value - this.#first) / this.#unitsPerSecond
  }
}

class TextTimes implements CsvTimeReader {
  readonly #toInstant: CsvTime['toInstant']
  start: WaveformStart | undefined
  #second = ''
  #milliseconds = 0

  constructor({ toInstant }: CsvTime) {
    this.#toInstant = toInstant
  }

  read(fields: Fields, field: number, line: number): number {
    const text = fields.text(field).trim()
    const found = INSTANT.exec(text)
    if (found === null) {
      throw noTime(fields, field, line, 'such as 2026-01-31 12:00:00.25+01:00')
    }
    const zone = found[8] ?? ''
    const second = `${text.slice(0, 10)} ${text.slice(11, 19)}`
    if (this.#second !== second + zone) {
      const milliseconds = this.#instantOf(found, second, zone)
      if (milliseconds === undefined) {
        throw noTime(fields, field, line, zone === '' ? this.#localExpected : 'a real time')
      }
      this.#second = second + zone
      this.#milliseconds = milliseconds
    }
    const nanoseconds = Number((found[7] ?? '').slice(0, 9).padEnd(9, '0'))
    const instant = laterBy({ milliseconds: this.#milliseconds, nanoseconds: 0 }, nanoseconds)
    this.start ??= instant
    return millisecondsBetween(this.start, instant) / 1000
  }

  get #localExpected(): string {
    return this.#toInstant ? 'a time that exists in its zone, or its offset' : 'an offset or a zone'
  }

  #instantOf(found: RegExpExecArray, local: string, zone: string): number | undefined {
    if (zone === '') return this.#toInstant?.(local)
    const start = startOfClock(parseClock(found.slice(1, 7)))
    if (zone === 'Z' || zone === 'UTC' || start === undefined) return start?.milliseconds
    const digits = zone.replace(':', '').slice(1).padEnd(4, '0')
    const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
    return start.milliseconds - (zone.startsWith('-') ? -minutes : minutes) * 60_000
  }
}

function noTime(fields: Fields, field: number, line: number, expected: string): Error {
  const text = quote(fields.text(field), 40)
  return invalid(`line ${line}: time is ${text}, expected ${expected}`)
}
