import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Database } from 'better-sqlite3'
import { RefusedError } from '../../../errors/refused-error.ts'
import { megabytesOf } from '../../../errors/show.ts'
import { freeBytesOf } from '../../disk-space.ts'
import { syncFolder } from '../../sync-to-disk.ts'
import { keptName, PART, versionOfFile } from './kept-databases.ts'

const PROGRAM = fileURLToPath(new URL('./copy-program.ts', import.meta.url))

/** The migration itself needs space too. */
const MARGIN_BYTES = 16 * 2 ** 20

const WAIT_MILLISECONDS = 10_000
const LOOK_MILLISECONDS = 20

export type Keeping = {
  /** The versions of the database, and the one to which it is migrated. */
  from: number
  to: number
  inform(sentence: string): void
}

/**
 * Runs the first step of a migration in a transaction that begins with a copy of the database file. No
 * other program can write between the copy and the step, and the log is empty: the file is everything.
 */
export function runKeeping(database: Database, keeping: Keeping, step: () => void): void {
  const end = performance.now() + WAIT_MILLISECONDS
  const log = `${database.name}-wal`
  const attempt = database.transaction((): boolean => {
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) return false
    keepDatabase(database.name, keeping)
    step()
    return true
  })
  while (true) {
    database.pragma('wal_checkpoint(TRUNCATE)')
    if (attempt.immediate()) return
    if (performance.now() > end) throw inUseError(keeping)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MILLISECONDS)
  }
}

/**
 * Copies the file by a process of its own: closing it here would end the locks that SQLite has on it in
 * this process (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
function keepDatabase(file: string, { from, to, inform }: Keeping): void {
  const kept = `${dirname(file)}/${keptName(basename(file), to)}`
  // An interrupted migration has taken some steps since.
  if (existsSync(kept) && (versionOfFile(kept) ?? from) < from) return
  const part = `${kept}${PART}`
  try {
    if (copy('clone', file, part) !== undefined) {
      requireSpace(file, { from, to })
      inform(
        `The database is copied to ${kept} before it is migrated to version ${to}: ${megabytesOf(statSync(file).size)}.`,
      )
      const problem = copy('copy', file, part)
      if (problem !== undefined) throw notKeptError(problem, { from, to })
    }
    renameSync(part, kept)
    syncFolder(dirname(file))
  } finally {
    rmSync(part, { force: true })
  }
}

/** The reason why a copy could not be made. */
function copy(way: 'clone' | 'copy', from: string, to: string): string | undefined {
  const { status, stderr, error } = spawnSync(process.execPath, [PROGRAM, way, from, to])
  if (status === 0) return undefined
  const [, reason] = /^Error: (.*)$/m.exec(String(stderr)) ?? []
  return reason ?? error?.message ?? 'the copying process ended'
}

type Versions = Pick<Keeping, 'from' | 'to'>

function requireSpace(file: string, versions: Versions): void {
  const needed = statSync(file).size + MARGIN_BYTES
  const free = freeBytesOf(dirname(file))
  if (free >= needed) return
  throw notKeptError(
    `that takes ${megabytesOf(needed)}, and the disk has ${megabytesOf(free)} free`,
    versions,
  )
}

const notKeptError = (problem: string, { from, to }: Versions): RefusedError =>
  new RefusedError(
    'unavailable',
    `The database is not migrated from version ${from} to ${to}, because it cannot be copied before: ${problem}. Free some space, then start again. If you have a backup, run "plumbline migrate --without-copy".`,
  )

const inUseError = ({ from, to }: Versions): RefusedError =>
  new RefusedError(
    'unavailable',
    `The database is not migrated from version ${from} to ${to}, because another program reads or writes it. Stop that program, then start again.`,
  )
