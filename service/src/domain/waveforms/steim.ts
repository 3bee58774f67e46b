/** One record's data: frames of 64 bytes, each a word of codes and 15 words of differences. */
export type SteimFrames = {
  view: DataView
  from: number
  to: number
  isLittle: boolean
  version: 1 | 2
}

const FRAME = 64
const WORDS = 16

/**
 * Writes `count` samples into `target` from `at` on; gives back what is wrong, if anything.
 *
 * SEED Reference Manual 2.4, appendix B: differences between neighbouring samples in words whose
 * packing two bits of the frame's first word name; the first frame's second and third words are
 * the first and the last sample, the latter as a check.
 */
export function decodeSteim(
  frames: SteimFrames,
  target: Int32Array,
  at: number,
  count: number,
): string | undefined {
  const { view, from, isLittle } = frames
  if (frames.to - from < FRAME) return 'has no whole frame of 64 bytes'
  const unpacked = unpackDifferences(frames, target, at, count)
  if (typeof unpacked === 'string') return unpacked
  if (unpacked < count) return `has ${unpacked} differences, expected ${count}`

  // The first difference leads from the record before; the sample itself is given.
  target[at] = view.getInt32(from + 4, isLittle)
  const end = at + count
  for (let index = at + 1; index < end; index++) {
    target[index] = target[index]! + target[index - 1]!
  }
  const last = view.getInt32(from + 8, isLittle)
  if (target[end - 1] === last) return undefined
  return `ends with ${target[end - 1]}, expected ${last} by its own check of the last sample`
}

/** How many differences were found, at most `count`, or what is wrong with them. */
function unpackDifferences(
  { view, from, to, isLittle, version }: SteimFrames,
  target: Int32Array,
  at: number,
  count: number,
): number | string {
  const end = at + count
  let next = at
  for (let frame = from; frame + FRAME <= to && next < end; frame += FRAME) {
    const codes = view.getInt32(frame, isLittle)
    for (let word = frame === from ? 3 : 1; word < WORDS && next < end; word++) {
      const place = frame + 4 * word
      const code = (codes >>> (30 - 2 * word)) & 3
      if (code === 0) continue
      if (code === 1) {
        // Writes past the end of a typed array do nothing, those past this record are overwritten.
        const most = Math.min(4, end - next)
        for (let index = 0; index < most; index++) target[next++] = view.getInt8(place + index)
      } else if (version === 1 && code === 2) {
        target[next++] = view.getInt16(place, isLittle)
        if (next < end) target[next++] = view.getInt16(place + 2, isLittle)
      } else if (version === 1) {
        target[next++] = view.getInt32(place, isLittle)
      } else {
        const packed = view.getInt32(place, isLittle)
        const bits = bitsOf(code, packed >>> 30)
        if (bits === 0) {
          const kind = (frame - from) / FRAME + 1
          return `has packing ${code}.${packed >>> 30} in frame ${kind}, which Steim-2 does not know`
        }
        for (let unused = USED[bits]! - bits; unused >= 0 && next < end; unused -= bits) {
          target[next++] = (packed << (32 - unused - bits)) >> (32 - bits)
        }
      }
    }
  }
  return next - at
}

/** Bits that are used of a word, by the width of its differences. */
const USED: Readonly<Record<number, number>> = { 30: 30, 15: 30, 10: 30, 6: 30, 5: 30, 4: 28 }

function bitsOf(code: number, detail: number): number {
  if (code === 2) return detail === 1 ? 30 : detail === 2 ? 15 : detail === 3 ? 10 : 0
  return detail === 0 ? 6 : detail === 1 ? 5 : detail === 2 ? 4 : 0
}
