import type { CsvTimeKind } from '@plumbline/contract'
import type { WaveformStart } from './waveform-start.ts'

/** How a CSV file is read. */
export type CsvWaveformOptions = {
  /** One character, by default `,`. A blank separates by any run of blanks and tabs. */
  delimiter?: string
  /** The decimal sign, by default `.`. */
  decimal?: '.' | ','
  /** The line of the column names, by default 1; 0 if there is none. */
  headerRow?: number
  /** The line of the first values, by default the one after the names. */
  dataRow?: number
  /** The columns of samples by name or number from 1, by default all except the time. */
  columns?: readonly (string | number)[]
  /** The unit of every column, by default the text in brackets at the end of its name. */
  unit?: string
  /** Required without `time`; with it, the times must agree with the rate. */
  sampleHz?: number
  time?: CsvTime
  /** The instant of the first sample if no column has it. */
  start?: WaveformStart
}

export type CsvTime = {
  /** The name of the column or its number from 1. */
  column: string | number
  /** `text` is `YYYY-MM-DD HH:MM:SS`, optionally with `T`, a fraction, and an offset or `Z`. */
  kind: CsvTimeKind
  /** Returns the instant of a text without an offset, `YYYY-MM-DD HH:MM:SS`. */
  toInstant?: (local: string) => number | undefined
  /**
   * The largest difference between a time and the time by the rate, in sample periods, by default
   * 0.25. Below 0.5 a missing sample is always refused.
   */
  tolerance?: number
}
