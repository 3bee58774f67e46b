import type { WaveformMappingFile } from '@plumbline/contract/waveform-mapping'
import { zone } from '../../domain/time/local-time.ts'
import type { CsvWaveformOptions } from '../../domain/waveforms/csv-options.ts'
import type { WaveformFile } from './waveform-file.ts'

/** Compiles a mapping of waveforms to the form in which files are read. */
export function compileWaveformMapping(mapping: WaveformMappingFile): WaveformFile {
  const { file = 'auto', channels, unit, sampleFreq, start, offset, gapTolerance } = mapping
  return {
    format: file === 'auto' ? undefined : file,
    channels,
    unit,
    sampleHz: sampleFreq,
    collectTime: start === undefined ? undefined : withOffset(start, offset),
    zone: offset === undefined ? undefined : zone(offset),
    options: {
      csv: toCsvOptions(mapping),
      ...(gapTolerance === undefined ? {} : { miniSeed: { gapTolerance } }),
    },
  }
}

/** Adds the offset to a time without one; text keeps all digits. */
const withOffset = (time: string, offset = ''): string =>
  /(?:Z|[+-]\d\d:?\d\d)$/i.test(time.trim()) ? time : time.trim() + offset

function toCsvOptions({ csv = {}, sampleFreq }: WaveformMappingFile): CsvWaveformOptions {
  const { delimiter, decimalComma, time, ...rest } = csv
  return {
    ...rest,
    ...(delimiter === undefined ? {} : { delimiter: SIGNS[delimiter] ?? delimiter }),
    ...(decimalComma === true ? { decimal: ',' } : {}),
    ...(time === undefined ? {} : { time }),
    ...(sampleFreq === undefined ? {} : { sampleHz: sampleFreq }),
  }
}

const SIGNS: Readonly<Record<string, string | undefined>> = { tab: '\t', blanks: ' ' }
