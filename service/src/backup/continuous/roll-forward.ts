import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncSlowFolder } from '../../storage/sync-to-disk.ts'
import { applyPieces } from './apply-pieces.ts'
import { BASE_DATABASE, readBase, writeBase } from './generation.ts'
import { listPieceFiles, readChain } from './piece-files.ts'

/**
 * Moves the begin of a generation on to the last file of pieces that ends before a moment, so that
 * the copy does not grow for ever. `choose` gets the moments of all pieces and returns that moment, which
 * is returned. Interrupted at any place it can be done again.
 */
export async function rollForward(
  folder: string,
  choose: (moments: readonly number[]) => number,
): Promise<number> {
  const base = await readBase(folder)
  if (base === undefined) return choose([])
  const { pieces } = await readChain(folder, base)
  const before = choose(pieces.map(({ header }) => header.at))
  const lastFile = pieces.at(-1)?.file
  const kept = pieces.findIndex(({ header, file }) => header.at >= before || file === lastFile)
  // Whole files only: the one of the first piece that is kept stays.
  const end = pieces.findIndex(({ file }) => file === pieces[kept]?.file)
  const last = pieces[end - 1]
  if (last === undefined || last.header.number < base.wholeAfter) return before
  const whole = { wholeAfter: last.header.number, wholeAt: last.header.at }
  await writeBase(folder, { ...base, ...whole })
  await using database = await open(join(folder, BASE_DATABASE), 'r+')
  await applyPieces(database, folder, pieces.slice(0, end))
  await writeBase(folder, { first: last.header.number + 1, previous: last.sum, ...whole })
  const applied = (await listPieceFiles(folder)).filter((name) => name < pieces[end]!.file)
  for (const name of applied) await rm(join(folder, name), { force: true })
  await syncSlowFolder(folder)
  return before
}
