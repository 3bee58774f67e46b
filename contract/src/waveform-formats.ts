/** The formats of waveform files, by their names in a mapping and in a query. */
export const WAVEFORM_FORMATS = [
  'miniSEED',
  'SAC',
  'UFF58',
  'CSMIP',
  'COSMOS',
  'WAV',
  'CSV',
] as const

export type WaveformFormat = (typeof WAVEFORM_FORMATS)[number]

/** The kinds of times in a CSV file of waveforms. */
export const CSV_TIME_KINDS = [
  'seconds',
  'milliseconds',
  'epochSeconds',
  'epochMilliseconds',
  'text',
] as const

export type CsvTimeKind = (typeof CSV_TIME_KINDS)[number]
