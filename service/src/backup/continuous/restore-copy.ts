import { copyFile, open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { RefusedError } from '../../errors/refused-error.ts'
import { momentOf } from '../../errors/show.ts'
import { codeOf } from '../../errors/thrown.ts'
import { DATABASE_FILE } from '../../storage/sqlite/connection/main-connection.ts'
import { applyPieces } from './apply-pieces.ts'
import { BASE_DATABASE, listGenerations, readBase, type Base } from './generation.ts'
import { readChain, type FoundPiece } from './piece-files.ts'
import { restoreSideFiles } from './side-files.ts'

export type RestoreOptions = {
  /** The folder of a continuous copy. */
  from: string
  /** An empty folder. */
  to: string
  /** The moment to restore, in ms since 1970; default: the newest. */
  at?: number | undefined
}

export type RestoredCopy = {
  generation: string
  /** Every commit up to this moment is restored, and none after it. */
  at: number
  pieces: number
  files: string[]
}

type Choice = {
  folder: string
  base: Base
  pieces: FoundPiece[]
  at: number
  damage: string | undefined
}

/** Whether a folder holds a continuous copy. */
export const isContinuousCopy = async (folder: string): Promise<boolean> =>
  listGenerations(folder).then(
    (found) => found.length > 0,
    (error) => {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false
      throw error
    },
  )

/** Restores a continuous copy into a folder. What it has written is to be checked before it is used. */
export async function restoreCopy({ from, to, at }: RestoreOptions): Promise<RestoredCopy> {
  const chosen = (await listChoices(from, at ?? Infinity)).at(-1)
  if (chosen === undefined) throw await nothingToRestore(from, at)
  // What follows the last good piece is unknown, unless that very moment was asked for.
  if (chosen.damage !== undefined && at !== chosen.at) throw damaged(from, chosen)
  const database = join(to, DATABASE_FILE)
  await copyFile(join(chosen.folder, BASE_DATABASE), database)
  await using file = await open(database, 'r+')
  await file.chmod(0o600)
  await applyPieces(file, chosen.folder, chosen.pieces)
  // A service that still copies moves the begin of the copy on, and notes that before.
  if (!isDeepStrictEqual(await readBase(chosen.folder), chosen.base))
    throw new RefusedError('unavailable', `The copy in ${from} has changed meanwhile. Try again.`)
  const files = await restoreSideFiles(chosen.folder, chosen.at, to)
  return {
    generation: basename(chosen.folder),
    at: chosen.at,
    pieces: chosen.pieces.length,
    files,
  }
}

/** The moments that a generation of a copy can restore, in ms since 1970. */
export type CopiedSpan = {
  generation: string
  from: number
  to: number
  damage: string | undefined
}

/** What the generations of a copy can restore, from the oldest on; those that are not whole are left out. */
export async function listSpans(copy: string): Promise<CopiedSpan[]> {
  const spans: CopiedSpan[] = []
  for (const folder of await listGenerations(copy)) {
    const base = await readBase(folder)
    if (base === undefined) continue
    const { pieces, damage } = await readChain(folder, base)
    const { number, at } = pieces.at(-1)?.header ?? { number: base.first - 1, at: base.wholeAt }
    if (number >= base.wholeAfter)
      spans.push({ generation: basename(folder), from: base.wholeAt, to: at, damage })
  }
  return spans
}

/** What each generation can restore of a moment, the oldest generation first. */
async function listChoices(from: string, at: number): Promise<Choice[]> {
  const choices: Choice[] = []
  for (const folder of await listGenerations(from)) {
    const base = await readBase(folder)
    if (base === undefined) continue
    const { pieces: all, damage } = await readChain(folder, base)
    const end = all.findLastIndex(({ header }) => header.at <= at)
    const pieces = all.slice(0, end + 1)
    const reached = pieces.at(-1)?.header ?? { number: base.first - 1, at: base.wholeAt }
    if (reached.number < base.wholeAfter || reached.at > at) continue
    const isCut = damage !== undefined && end === all.length - 1
    choices.push({ folder, base, pieces, at: reached.at, damage: isCut ? damage : undefined })
  }
  return choices
}

async function nothingToRestore(from: string, at: number | undefined): Promise<RefusedError> {
  const begins: number[] = []
  const damages: string[] = []
  for (const folder of await listGenerations(from)) {
    const base = await readBase(folder)
    if (base === undefined) continue
    begins.push(base.wholeAt)
    const { damage } = await readChain(folder, base)
    if (damage !== undefined) damages.push(`${basename(folder)}: ${damage}`)
  }
  const first = Math.min(...begins)
  if (at !== undefined && at < first)
    return new RefusedError(
      'absent',
      `The copy in ${from} begins at ${momentOf(first)}: name that moment or a later one.`,
    )
  return new RefusedError(
    'absent',
    damages.length === 0
      ? `The folder ${from} holds no copy that is whole: the first one was not finished.`
      : `The copy in ${from} is damaged before it is whole. ${damages.join(' ')}`,
  )
}

const damaged = (from: string, { folder, at, damage }: Choice): RefusedError =>
  new RefusedError(
    'unavailable',
    `The copy ${basename(folder)} in ${from} is damaged: ${damage} What was stored before can be restored with --at ${momentOf(at)}.`,
  )
