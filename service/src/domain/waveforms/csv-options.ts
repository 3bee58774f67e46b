import type { WaveformStart } from './waveform-start.ts'

/** What a CSV file does not say of itself. */
export type CsvWaveformOptions = {
  /** One character; `,` unless told. A blank stands for any run of blanks and tabs. */
  delimiter?: string
  /** The decimal sign; `.` unless told. */
  decimal?: '.' | ','
  /** The line of the columns' names, from 1, or 0 when there is none; 1 unless told. */
  headerRow?: number
  /** The line of the first values, from 1; the one after the names unless told. */
  dataRow?: number
  /** The columns of samples by name or number from 1; all but the time unless told. */
  columns?: readonly (string | number)[]
  /** More columns of samples than this are refused; 1,000 unless told. */
  mostColumns?: number
  /** Of every column; unless told, what a name has in brackets at its end: `ACC01_z [g]`. */
  unit?: string
  /** Either this or `time`, or both, which then must agree. */
  sampleHz?: number
  time?: CsvTime
  /** The instant of the first sample, where no column has it. */
  start?: WaveformStart
}

export type CsvTime = {
  /** By name or number from 1. */
  column: string | number
  /** `text` is `YYYY-MM-DD HH:MM:SS` with `T` or a blank, a fraction, and an offset or `Z`. */
  kind: 'seconds' | 'milliseconds' | 'epochSeconds' | 'epochMilliseconds' | 'text'
  /** The instant in milliseconds of a text without an offset, `YYYY-MM-DD HH:MM:SS`. */
  toInstant?: (local: string) => number | undefined
  /**
   * How far a time may lie from where the rate leads, in sample periods; 0.25 unless told. Below
   * 0.5 no file fits that lacks a sample.
   */
  tolerance?: number
}
