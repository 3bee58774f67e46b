import type { WaveformFormat } from '@plumbline/contract'
import { cosmos } from './cosmos.ts'
import { csmip } from './csmip.ts'
import { csv } from './csv.ts'
import { miniSeed } from './miniseed.ts'
import { sac } from './sac.ts'
import { uff58 } from './uff58.ts'
import { wav } from './wav.ts'
import {
  invalid,
  type Waveform,
  type WaveformOptions,
  type WaveformFormatReader,
} from './waveform.ts'

/** The readers of all formats; those that are recognised most surely come first. */
export const WAVEFORM_READERS = {
  WAV: wav,
  miniSEED: miniSeed,
  UFF58: uff58,
  COSMOS: cosmos,
  CSMIP: csmip,
  SAC: sac,
  CSV: csv,
} satisfies Readonly<Record<WaveformFormat, WaveformFormatReader>>

/** The number of bytes at the start of a file that a reader needs to recognise it. */
export const WAVEFORM_HEAD_BYTES = 1024

/**
 * Reads a waveform file in the given format, or else in the format recognised from its first bytes.
 *
 * Refuses a file of an unknown format and a truncated or damaged one. The error names the line,
 * record or byte and what was expected.
 */
export function readWaveforms(
  bytes: Uint8Array,
  options: WaveformOptions & { format?: WaveformFormat } = {},
): Waveform[] {
  const { format } = options
  const reader = format === undefined ? recogniseReader(bytes) : WAVEFORM_READERS[format]
  return reader.read(bytes, options)
}

function recogniseReader(bytes: Uint8Array): WaveformFormatReader {
  const head = bytes.subarray(0, WAVEFORM_HEAD_BYTES)
  const reader = Object.values(WAVEFORM_READERS).find(({ recognises }) => recognises(head))
  if (reader !== undefined) return reader
  const known = Object.keys(WAVEFORM_READERS).join(', ')
  const size = bytes.length === 0 ? 'is empty' : 'is of no format that is known'
  throw invalid(`the file ${size}, expected one of ${known}`)
}
