import { RefusedError } from '../../errors/refused-error.ts'
import type { Encoding } from '../../encodings/character-encoding.ts'

const HEAD_BYTES = 512
const MARKS: readonly [mark: readonly number[], found: string, encoding?: Encoding][] = [
  [[0xff, 0xfe, 0, 0], 'UTF-32, little endian'],
  [[0, 0, 0xfe, 0xff], 'UTF-32, big endian'],
  [[0xff, 0xfe], 'UTF-16, little endian', 'utf-16le'],
  [[0xfe, 0xff], 'UTF-16, big endian', 'utf-16be'],
  [[0xef, 0xbb, 0xbf], 'UTF-8', 'utf-8'],
  [[0x84, 0x31, 0x95, 0x33], 'GB18030', 'gb18030'],
]

/** The fewest characters from which an encoding is recognised. */
const LEAST_PAIRS = 4

/** Passes the bytes of a file on; throws a `RefusedError` where its beginning has another encoding. */
export async function* requireEncoding(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array = new Uint8Array()
  let isChecked = false
  for await (const chunk of chunks) {
    if (isChecked) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < HEAD_BYTES) continue
    isChecked = true
    refuseOther(head.subarray(0, HEAD_BYTES), encoding)
    yield head
  }
  if (isChecked) return
  refuseOther(head, encoding)
  yield head
}

function refuseOther(head: Uint8Array, encoding: Encoding): void {
  const found = findByMark(head) ?? findByNuls(head)
  const isWide = encoding.startsWith('utf-16')
  const isGb = encoding.startsWith('gb')
  if (isGb && found?.encoding === 'gb18030') return
  const isOther =
    found === undefined
      ? isWide && head.length >= 2 * LEAST_PAIRS && !head.includes(0)
      : found.encoding === undefined ||
        (found.encoding !== encoding && (isWide || isGb || found.encoding !== 'utf-8'))
  if (!isOther) return
  const { name, encoding: needed } = found ?? { name: 'text of one byte a character, or UTF-8' }
  throw new RefusedError(
    'invalid',
    `the file is ${name}, but its mapping says "encoding: ${encoding}"; expected ` +
      (needed === undefined
        ? 'another encoding of the mapping or of the file'
        : `"encoding: ${needed}" in the mapping, or a file in ${encoding}`),
  )
}

type FoundEncoding = { name: string; encoding?: Encoding | undefined }

function findByMark(head: Uint8Array): FoundEncoding | undefined {
  const [, name, encoding] =
    MARKS.find(([mark]) => mark.every((byte, at) => head[at] === byte)) ?? []
  return name === undefined ? undefined : { name: `${name} (by its byte order mark)`, encoding }
}

/** In UTF-16 each digit and separator has a NUL byte. */
function findByNuls(head: Uint8Array): FoundEncoding | undefined {
  const pairs = Math.floor(head.length / 2)
  let first = 0
  let second = 0
  for (let at = 0; at < pairs; at++) {
    if (head[2 * at] === 0) first++
    if (head[2 * at + 1] === 0) second++
  }
  const least = Math.max(LEAST_PAIRS, pairs / 2)
  const words = '(every other byte is NUL)'
  if (first === 0 && second >= least)
    return { name: `UTF-16, little endian ${words}`, encoding: 'utf-16le' }
  if (second === 0 && first >= least)
    return { name: `UTF-16, big endian ${words}`, encoding: 'utf-16be' }
  return undefined
}
