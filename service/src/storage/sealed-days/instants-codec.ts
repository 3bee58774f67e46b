import { ByteReader, ByteWriter, unreadable } from '../../encodings/byte-codec.ts'

/**
 * Encodes the instants of a sealed part, which ascend: their count, the first one, then each step
 * and how often it repeats. A record a minute for a day takes a dozen bytes.
 */
export function encodeInstants(instants: ArrayLike<number>): Uint8Array {
  const writer = new ByteWriter()
  writer.whole(instants.length)
  let last: number | undefined
  let step = 0
  let run = 0
  const endRun = (): void => {
    if (run === 0) return
    writer.whole(step)
    writer.whole(run)
  }
  for (const instant of Array.from(instants)) {
    if (last === undefined) writer.signed(instant)
    else if (run > 0 && instant - last === step) run++
    else {
      if (!(instant > last)) throw new RangeError('instants must ascend')
      endRun()
      step = instant - last
      run = 1
    }
    last = instant
  }
  endRun()
  return writer.bytes()
}

/** Decodes instants; throws where the bytes are not such a list, or one of more than `maximum`. */
export function decodeInstants(bytes: Uint8Array, maximum = 100_000): Float64Array {
  const reader = new ByteReader(bytes)
  const count = reader.whole()
  if (count > maximum) throw unreadable(`they name ${count} instants`)
  const instants = new Float64Array(count)
  let instant = count > 0 ? reader.signed() : 0
  instants.fill(instant, 0, 1)
  for (let at = 1; at < count;) {
    const step = reader.whole()
    const run = reader.whole()
    if (step === 0 || run === 0 || run > count - at)
      throw unreadable('they are no list of instants')
    for (const end = at + run; at < end; at++) instants[at] = instant += step
  }
  reader.end()
  return instants
}
