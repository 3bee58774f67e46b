import { quote } from './text-lines.ts'
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
  type WaveformFormat,
  type WaveformOptions,
  type WaveformReader,
} from './waveform.ts'

/** Every format that is read; the surest to tell come first. */
export const WAVEFORM_READERS: readonly WaveformReader[] = [
  wav,
  miniSeed,
  uff58,
  cosmos,
  csmip,
  sac,
  csv,
]

/** As many of a file's first bytes as a reader needs to recognise it. */
export const WAVEFORM_HEAD_BYTES = 1024

/**
 * Reads a file of waveforms, in the format told or else the one its first bytes are of.
 *
 * Refuses a file of no format it knows, and one that is not whole and sound, by a sentence that
 * says where (line, record or byte) and what was expected.
 */
export function readWaveforms(
  bytes: Uint8Array,
  options: WaveformOptions & { format?: WaveformFormat } = {},
): Waveform[] {
  const { format } = options
  const head = bytes.subarray(0, WAVEFORM_HEAD_BYTES)
  const reader = WAVEFORM_READERS.find(({ name, recognises }) =>
    format === undefined ? recognises(head) : name === format,
  )
  if (reader !== undefined) return reader.read(bytes, options)
  const known = WAVEFORM_READERS.map(({ name }) => name).join(', ')
  if (format !== undefined) throw invalid(`format is ${quote(format)}, expected ${known}`)
  const size = bytes.length === 0 ? 'is empty' : 'is of no format that is known'
  throw invalid(`the file ${size}, expected one of ${known}`)
}
