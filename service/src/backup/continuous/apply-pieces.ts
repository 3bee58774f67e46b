import type { FileHandle } from 'node:fs/promises'
import { readPages, type PieceHeader } from './piece.ts'
import { readPiece, type FoundPiece } from './piece-files.ts'

/** Applies pieces to a database file in their order. Applied once more they change nothing. */
export async function applyPieces(
  database: FileHandle,
  folder: string,
  pieces: readonly FoundPiece[],
): Promise<void> {
  let last: PieceHeader | undefined
  for (const found of pieces) {
    const piece = await readPiece(folder, found)
    last = piece.header
    for (const [page, content] of await readPages(piece))
      await database.writev([content], (page - 1) * last.pageBytes)
  }
  if (last !== undefined) await database.truncate(last.pages * last.pageBytes)
  await database.sync()
}
