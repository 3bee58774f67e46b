/**
 * Instants of a sealed part in few bytes: the count, the first, then each step with how often it
 * comes in a row. A record a minute for a day is nine bytes.
 *
 * Numbers are LEB128, seven bits a byte, low bits first.
 */
export function encodeInstants(instants: ArrayLike<number>): Uint8Array {
  const bytes: number[] = []
  pushNumber(bytes, instants.length)
  if (instants.length === 0) return Uint8Array.from(bytes)
  pushSigned(bytes, instants[0]!)
  let at = 1
  while (at < instants.length) {
    const step = stepBefore(instants, at)
    if (!(step > 0)) throw new RangeError('instants must ascend')
    let run = 1
    while (at + run < instants.length && stepBefore(instants, at + run) === step) run++
    pushNumber(bytes, step)
    pushNumber(bytes, run)
    at += run
  }
  return Uint8Array.from(bytes)
}

const stepBefore = (instants: ArrayLike<number>, at: number): number =>
  instants[at]! - instants[at - 1]!

/** The instants again; throws where the bytes are no such list. */
export function decodeInstants(bytes: Uint8Array, maximum = 100_000): Float64Array {
  const input = new Input(bytes)
  const count = input.number()
  if (count > maximum) throw new RangeError(`a list of ${count} instants, at most ${maximum}`)
  const instants = new Float64Array(count)
  if (count > 0) instants[0] = input.signed()
  let at = 1
  while (at < count) {
    const step = input.number()
    const run = input.number()
    if (step === 0 || run === 0 || run > count - at) throw new RangeError('instants are damaged')
    for (let index = 0; index < run; index++, at++) instants[at] = instants[at - 1]! + step
  }
  if (!input.isAtEnd) throw new RangeError('instants go on after their end')
  return instants
}

function pushNumber(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

/** The sign goes into the lowest bit. */
function pushSigned(bytes: number[], value: number): void {
  pushNumber(bytes, value < 0 ? -value * 2 - 1 : value * 2)
}

class Input {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(): number {
    let value = 0
    let scale = 1
    while (true) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError('instants end too early')
      value += (byte % 128) * scale
      if (byte < 128) break
      scale *= 128
    }
    if (!Number.isSafeInteger(value)) throw new RangeError('instants are damaged')
    return value
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
