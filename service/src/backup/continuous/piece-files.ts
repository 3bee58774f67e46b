import { open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { toError } from '../../errors/thrown.ts'
import {
  lengthOfPiece,
  parsePiece,
  START_BYTES,
  type PieceHeader,
  type StoredPiece,
} from './piece.ts'

/** Where a piece is stored. */
export type FoundPiece = { header: PieceHeader; sum: string; file: string; at: number }

/** The pieces of a generation in order, and what ends them before the last file does. */
export type PieceChain = { pieces: FoundPiece[]; damage?: string }

const NAME = /^pieces-(\d{10})-(\d{4})$/

/** The name of a file of pieces, by the number of its first piece. */
export const pieceFileName = (first: number, attempt: number): string =>
  `pieces-${String(first).padStart(10, '0')}-${String(attempt).padStart(4, '0')}`

/** The files of pieces of a generation, in the order in which they were begun. */
export const listPieceFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => NAME.test(name)).toSorted()

/** The number of the first piece of a file. */
export const firstOf = (name: string): number => Number(NAME.exec(name)?.[1])

/**
 * Reads which pieces follow each other, from `first` on.
 *
 * A file names by its first piece the one that it continues. What is stored behind that one in
 * earlier files was given up: writing it was interrupted.
 */
export async function readChain(
  folder: string,
  { first, previous }: { first: number; previous: string },
): Promise<PieceChain> {
  const pieces: FoundPiece[] = []
  let damage: string | undefined
  for (const name of await listPieceFiles(folder)) {
    for await (const found of readFile(folder, name)) {
      if ('damage' in found) {
        damage ??= found.damage
        break
      }
      const { header } = found
      if (header.number < first) continue
      const before = header.number === first ? previous : pieces[header.number - first - 1]?.sum
      if (before === undefined || before !== header.previous) {
        damage ??= `The piece ${header.number} in ${name} does not continue the one before.`
        break
      }
      // The writer knew how far the earlier files are good.
      pieces.splice(header.number - first)
      damage = undefined
      pieces.push(found)
    }
  }
  return damage === undefined ? { pieces } : { pieces, damage }
}

async function* readFile(
  folder: string,
  name: string,
): AsyncGenerator<FoundPiece | { damage: string }> {
  await using file = await open(join(folder, name), 'r')
  for (let at = 0; ;) {
    try {
      const piece = await readAt(file, at)
      if (piece === undefined) return
      yield { header: piece.header, sum: piece.sum, file: name, at }
      at += piece.bytes.length
    } catch (error) {
      yield { damage: `The file ${name} is damaged at byte ${at}: ${toError(error).message}.` }
      return
    }
  }
}

/** Reads a piece again, with its pages. */
export async function readPiece(
  folder: string,
  { file: name, at }: FoundPiece,
): Promise<StoredPiece> {
  await using file = await open(join(folder, name), 'r')
  const piece = await readAt(file, at)
  if (piece === undefined) throw new Error(`${name} was changed while it was read`)
  return piece
}

/** The piece at a place of a file; undefined where the file ends before the piece does. */
async function readAt(file: FileHandle, at: number): Promise<StoredPiece | undefined> {
  const start = Buffer.alloc(START_BYTES)
  const { bytesRead } = await file.read(start, 0, start.length, at)
  if (bytesRead < start.length) return undefined
  const bytes = Buffer.alloc(lengthOfPiece(start))
  const whole = await file.read(bytes, 0, bytes.length, at)
  return parsePiece(bytes.subarray(0, whole.bytesRead))
}
