/** The data of one record: frames of 64 bytes with a word of codes and 15 words of differences. */
type SteimFrames = {
  view: DataView
  from: number
  to: number
  isLittle: boolean
  version: 1 | 2
}

const FRAME = 64
const WORDS = 16

/**
 * Writes `count` samples to `target` at the index `at`. Returns the error of damaged data, else
 * undefined.
 *
 * SEED Reference Manual 2.4, appendix B: words hold differences between neighbouring samples. Two
 * bits of the frame's first word are the packing of a word. The second and third words of the first
 * frame are the first and the last sample; the last is a check.
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

  // The first difference is that from the previous record; the sample itself is in the frame.
  let sample = view.getInt32(from + 4, isLittle)
  target[at] = sample
  const end = at + count
  for (let index = at + 1; index < end; index++) {
    sample = (sample + target[index]!) | 0
    target[index] = sample
  }
  const last = view.getInt32(from + 8, isLittle)
  if (sample === last) return undefined
  return `ends with ${sample}, expected ${last} by its own check of the last sample`
}

/** Returns the number of differences, at most `count`, or the error of damaged data. */
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
        const values = Math.min(4, end - next)
        for (let index = 0; index < values; index++) target[next++] = view.getInt8(place + index)
      } else if (version === 1 && code === 2) {
        target[next++] = view.getInt16(place, isLittle)
        if (next < end) target[next++] = view.getInt16(place + 2, isLittle)
      } else if (version === 1) {
        target[next++] = view.getInt32(place, isLittle)
      } else {
        const packed = view.getInt32(place, isLittle)
        const bits = bitsOf(code, packed >>> 30)
        if (bits === 0) {
          const number = (frame - from) / FRAME + 1
          return `has packing ${code}.${packed >>> 30} in frame ${number}, which Steim-2 does not know`
        }
        const used = bits === 4 ? 28 : 30
        for (let unused = used - bits; unused >= 0 && next < end; unused -= bits) {
          target[next++] = (packed << (32 - unused - bits)) >> (32 - bits)
        }
      }
    }
  }
  return next - at
}

/** The width of the differences of a Steim-2 word; 0 for an unknown packing. */
function bitsOf(code: number, detail: number): number {
  if (code === 2) return detail === 1 ? 30 : detail === 2 ? 15 : detail === 3 ? 10 : 0
  return detail === 0 ? 6 : detail === 1 ? 5 : detail === 2 ? 4 : 0
}
