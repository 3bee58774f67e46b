import { hash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { BEGINNING, type FilePlace } from '../formats/file-place.ts'
import { parseText } from '../../json/parse-text.ts'

const wholeNumber = Type.Integer({ maximum: Number.MAX_SAFE_INTEGER })

const ClockState = Type.Object({
  zone: Type.String(),
  wall: wholeNumber,
  step: wholeNumber,
  hour: Type.Optional(
    Type.Object({
      change: wholeNumber,
      pass: Type.Union([Type.Literal(1), Type.Literal(2)]),
      isDisordered: Type.Boolean(),
      rows: wholeNumber,
      line: wholeNumber,
    }),
  ),
})

/** How far a watched file has been read, as it is stored. */
export type FilePosition = Static<typeof FilePosition>
const FilePosition = Type.Object({
  /** The name of the file when it was last read. */
  name: Type.String(),
  place: Type.Object({
    offset: wholeNumber,
    lines: wholeNumber,
    header: wholeNumber,
    headerLines: wholeNumber,
    /** The clocks of the rows before the place, one for each zone. */
    clocks: Type.Optional(Type.Array(ClockState)),
  }),
  /** The hash of the last bytes before the place. */
  tail: Type.String(),
  /** A last line without a line break that was read: its end, and the hash of its text. */
  openEnd: wholeNumber,
  openLine: Type.String(),
  /** Since when the file has been absent. */
  goneSince: Type.Optional(Type.Number()),
})

/**
 * Where reading continues; undefined when there is nothing new.
 *
 * A file that is shorter than what was read, or has other bytes there, was written again and is read
 * from its beginning. A shorter one under another name is an earlier copy.
 */
export async function findNextPlace(
  file: { tailHash(offset: number): Promise<string> },
  { name, size }: { name: string; size: number },
  known: FilePosition | undefined,
): Promise<FilePlace | undefined> {
  if (known === undefined) return BEGINNING
  const { place, openEnd, tail } = known
  const end = Math.max(place.offset, openEnd)
  if (size < end) return name === known.name ? BEGINNING : undefined
  if ((await file.tailHash(place.offset)) !== tail) return BEGINNING
  // An open line may be replaced without the file growing.
  return size === end && openEnd === 0 ? undefined : place
}

/** The hash of a line, by which it is recognised once it has a line break. */
export const lineHash = (text: string): string => hash('sha256', text, 'base64url')

export const formatPosition = (position: FilePosition): string => JSON.stringify(position)

/** The position from the text of `formatPosition`; undefined for any other text. */
export function parsePosition(text: string | undefined): FilePosition | undefined {
  const position = parseText(text)
  return Check(FilePosition, position) ? position : undefined
}
