import { ByteReader, ByteWriter, unreadable } from '../../encodings/byte-codec.ts'

/**
 * Instants of a sealed part in few bytes: the count, the first, then each step with how often it
 * comes in a row. A record a minute for a day takes a dozen bytes.
 */
export function encodeInstants(instants: ArrayLike<number>): Uint8Array {
  const writer = new ByteWriter()
  writer.whole(instants.length)
  if (instants.length > 0) writer.signed(instants[0]!)
  let at = 1
  while (at < instants.length) {
    const step = stepBefore(instants, at)
    if (!(step > 0)) throw new RangeError('instants must ascend')
    let run = 1
    while (at + run < instants.length && stepBefore(instants, at + run) === step) run++
    writer.whole(step)
    writer.whole(run)
    at += run
  }
  return writer.bytes()
}

const stepBefore = (instants: ArrayLike<number>, at: number): number =>
  instants[at]! - instants[at - 1]!

/** The instants again; throws where the bytes are no such list, or one of more than `maximum`. */
export function decodeInstants(bytes: Uint8Array, maximum = 100_000): Float64Array {
  const reader = new ByteReader(bytes)
  const count = reader.whole()
  if (count > maximum) throw unreadable(`they name ${count} instants`)
  const instants = new Float64Array(count)
  if (count > 0) instants[0] = reader.signed()
  let at = 1
  while (at < count) {
    const step = reader.whole()
    const run = reader.whole()
    if (step === 0 || run === 0 || run > count - at)
      throw unreadable('they are no list of instants')
    for (let index = 0; index < run; index++, at++) instants[at] = instants[at - 1]! + step
  }
  reader.end()
  return instants
}
