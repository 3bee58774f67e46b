import { recordEnds } from '../../domain/records/record-list.ts'

/** Records are compressed by themselves once they have so many bytes of text. */
export const STRETCH_BYTES = 4_096

/** Records with `STRETCH_BYTES` of text or a little more. */
export type Piece = { text: Uint8Array; count: number }

/** Records in the order of their text, the last ones of which make no piece. */
export type Division = { pieces: Piece[]; rest: Uint8Array }

/** Divides joined records between records; the parts share the memory of the text. */
export function divideRecords(text: Uint8Array): Division {
  const pieces: Piece[] = []
  let [start, count] = [0, 0]
  if (text.length < STRETCH_BYTES) return { pieces, rest: text }
  for (const end of recordEnds(text)) {
    count++
    if (end - start < STRETCH_BYTES) continue
    pieces.push({ text: text.subarray(start, end), count })
    ;[start, count] = [end + 1, 0]
  }
  return { pieces, rest: text.subarray(start) }
}
