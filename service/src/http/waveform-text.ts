import { NUMBER_BYTES, textSpace, writeNumber, type TextSpace } from '../domain/number-text.ts'
import type { VibrationHeader } from '../storage/storage.ts'

/** So many points become text at a time; other requests are answered in between. */
const POINTS_AT_ONCE = 2_048

type Config = Pick<VibrationHeader, 'unit' | 'sampleFreq' | 'count'>

/** `{config, data}` of the interface: a waveform, its points numbered from 1. */
export async function* writeRaw(
  batch: Config,
  pieces: AsyncIterable<Float64Array>,
): AsyncGenerator<Uint8Array> {
  yield headOf(batch)
  const points = new PointWriter('","time":"')
  let point = 0
  for await (const samples of pieces)
    for (let first = 0; first < samples.length; first += POINTS_AT_ONCE) {
      const end = Math.min(first + POINTS_AT_ONCE, samples.length)
      for (let at = first; at < end; at++) points.add(samples[at]!, ++point)
      yield points.take()
    }
  yield Buffer.from(']}')
}

/** `{config, data}` of the interface: a spectrum, line after line. */
export function* writeFft(batch: Config, amplitude: Float64Array): Generator<Uint8Array> {
  yield headOf(batch)
  const points = new PointWriter('","frequency":"')
  const sampleHz = Number(batch.sampleFreq)
  for (let first = 0; first < amplitude.length; first += POINTS_AT_ONCE) {
    const end = Math.min(first + POINTS_AT_ONCE, amplitude.length)
    for (let k = first; k < end; k++) points.add(amplitude[k]!, (k * sampleHz) / batch.count)
    yield points.take()
  }
  yield Buffer.from(']}')
}

const headOf = ({ unit, sampleFreq, count }: Config): Uint8Array =>
  Buffer.from(`{"config":${JSON.stringify({ unit, sampleFreq, count })},"data":[`)

const BEFORE = wordsOf(',{"value":"')
const COMMA_BYTES = 1

/** Writes `{"value":"…","…":"…"}` after `{"value":"…","…":"…"}` as bytes. */
class PointWriter {
  readonly #between: Words
  readonly #space: TextSpace
  #at = 0
  /** The first point has no comma before it. */
  #start = COMMA_BYTES

  constructor(between: string) {
    this.#between = wordsOf(between)
    const bytes = BEFORE.length + this.#between.length + 2 + 2 * NUMBER_BYTES
    this.#space = textSpace(POINTS_AT_ONCE * bytes)
  }

  add(value: number, place: number): void {
    const space = this.#space
    const { view } = space
    const between = this.#between
    const start = this.#at
    view.setUint32(start, BEFORE.a)
    view.setUint32(start + 4, BEFORE.b)
    view.setUint32(start + 8, BEFORE.c)
    let at = writeNumber(space, start + BEFORE.length, value)
    view.setUint32(at, between.a)
    view.setUint32(at + 4, between.b)
    view.setUint32(at + 8, between.c)
    view.setUint32(at + 12, between.d)
    at = writeNumber(space, at + between.length, place)
    view.setUint16(at, 0x227d)
    this.#at = at + 2
  }

  /** The points since the last time, in memory of their own. */
  take(): Uint8Array {
    const taken = Buffer.allocUnsafeSlow(this.#at - this.#start)
    taken.set(this.#space.bytes.subarray(this.#start, this.#at))
    this.#start = 0
    this.#at = 0
    return taken
  }
}

/** A text of at most sixteen bytes as four numbers; what they have too many is written over. */
type Words = Readonly<{ a: number; b: number; c: number; d: number; length: number }>

function wordsOf(text: string): Words {
  const padded = Buffer.from(text.padEnd(16))
  const word = (at: number): number => padded.readUInt32BE(4 * at)
  return { a: word(0), b: word(1), c: word(2), d: word(3), length: text.length }
}
