import {
  checkRate,
  checkSamples,
  invalid,
  type Waveform,
  type WaveformFormatReader,
  type WaveformSamples,
} from './waveform.ts'

type WavFormat = {
  isFloat: boolean
  channels: number
  sampleHz: number
  /** Bytes of one sample, and of one sample of every channel. */
  width: number
  frame: number
}

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe
/** The last bytes of a sub-format that begins with a format tag (KSDATAFORMAT_SUBTYPE_...). */
const TAG_GUID = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]

/** Reads RIFF WAVE: PCM of 8, 16, 24 and 32 bits as integers, floats of 32 and 64 bits. */
export const wav: WaveformFormatReader = {
  recognises: (head) => head.length >= 12 && tagAt(head, 0) === 'RIFF' && tagAt(head, 8) === 'WAVE',

  read(bytes) {
    if (!wav.recognises(bytes)) {
      throw invalid('byte 0: the file does not begin with RIFF and WAVE, expected a WAV file')
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const size = view.getUint32(4, true)
    if (bytes.length !== size + 8 && bytes.length !== size + 8 + (size % 2)) {
      throw invalid(`byte 4: RIFF announces ${size} bytes, but ${bytes.length - 8} follow`)
    }
    const { format, data } = findChunks(bytes, view, size + 8)
    return readSamples(view, format, data)
  },
}

type RiffChunk = { from: number; size: number }

function findChunks(
  bytes: Uint8Array,
  view: DataView,
  end: number,
): { format: WavFormat; data: RiffChunk } {
  let format: WavFormat | undefined
  for (let at = 12; at < end;) {
    if (end - at < 8) throw invalid(`byte ${at}: ${end - at} bytes are left, expected a chunk`)
    const tag = tagAt(bytes, at)
    const size = view.getUint32(at + 4, true)
    if (size > end - at - 8) {
      throw invalid(
        `byte ${at}: chunk ${JSON.stringify(tag)} announces ${size} bytes, but ${end - at - 8} follow`,
      )
    }
    if (tag === 'fmt ') format = readFormat(view, at + 8, size)
    if (tag === 'data') {
      if (format === undefined) throw invalid(`byte ${at}: data comes before the fmt chunk`)
      return { format, data: { from: at + 8, size } }
    }
    at += 8 + size + (size % 2)
  }
  throw invalid(`byte ${end}: the file ends without a ${format ? 'data' : 'fmt'} chunk`)
}

function readFormat(view: DataView, at: number, size: number): WavFormat {
  const place = `byte ${at}: fmt chunk`
  if (size < 16) throw invalid(`${place} has ${size} bytes, expected at least 16`)
  const formatTag = view.getUint16(at, true)
  if (formatTag === EXTENSIBLE && size < 40) {
    throw invalid(`${place} is extensible and has ${size} bytes, expected at least 40`)
  }
  const isTag = TAG_GUID.every(
    (byte, index) => size < 40 || view.getUint8(at + 26 + index) === byte,
  )
  const tag = formatTag === EXTENSIBLE && isTag ? view.getUint16(at + 24, true) : formatTag
  const bits = view.getUint16(at + 14, true)
  const isKnown =
    (tag === PCM && [8, 16, 24, 32].includes(bits)) || (tag === FLOAT && [32, 64].includes(bits))
  if (!isKnown) {
    throw invalid(
      `${place} has format ${tag} of ${bits} bits, expected 1 (PCM) of 8, 16, 24 or 32 or 3 (float) of 32 or 64`,
    )
  }
  const channels = view.getUint16(at + 2, true)
  const frame = view.getUint16(at + 12, true)
  const width = bits / 8
  if (channels === 0 || frame !== channels * width) {
    throw invalid(
      `${place} has ${channels} channels of ${bits} bits in blocks of ${frame} bytes, expected ${channels * width}`,
    )
  }
  const sampleHz = checkRate(view.getUint32(at + 4, true), place)
  return { isFloat: tag === FLOAT, channels, sampleHz, width, frame }
}

function readSamples(view: DataView, format: WavFormat, { from, size }: RiffChunk): Waveform[] {
  const { channels, sampleHz, width, frame } = format
  if (size === 0 || size % frame !== 0) {
    throw invalid(`byte ${from}: data has ${size} bytes, expected a multiple of ${frame}, not 0`)
  }
  return Array.from({ length: channels }, (_, channel) => {
    const samples = newSamples(format, size / frame)
    const read = sampleReader(view, format)
    for (let index = 0; index < samples.length; index++) {
      samples[index] = read(from + index * frame + channel * width)
    }
    const name = `channel ${channel + 1}`
    if (!(samples instanceof Int32Array)) checkSamples(samples, `${name} from byte ${from}`)
    return { channel: name, start: undefined, sampleHz, unit: '', samples }
  })
}

function newSamples({ isFloat, width }: WavFormat, count: number): WaveformSamples {
  if (!isFloat) return new Int32Array(count)
  return width === 4 ? new Float32Array(count) : new Float64Array(count)
}

/** PCM of 8 bits is unsigned with an offset of 128, wider PCM is signed. */
function sampleReader(view: DataView, { isFloat, width }: WavFormat): (at: number) => number {
  if (isFloat) {
    return width === 4 ? (at) => view.getFloat32(at, true) : (at) => view.getFloat64(at, true)
  }
  if (width === 1) return (at) => view.getUint8(at) - 128
  if (width === 2) return (at) => view.getInt16(at, true)
  if (width === 4) return (at) => view.getInt32(at, true)
  return (at) => view.getUint16(at, true) + view.getInt8(at + 2) * 0x10000
}

const tagAt = (bytes: Uint8Array, at: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + 4))
