import { execFile, type ChildProcess } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

const LOOK_MILLISECONDS = 5

const fileOf = (data: string): string => join(data, 'postmaster.pid')

/** The lines of a server's lock file; while it starts some of them are missing. */
async function readLockFile(data: string): Promise<string[]> {
  const text = await readFile(fileOf(data), 'utf8').catch(() => '')
  return text.split('\n').map((line) => line.trim())
}

/** Waits until a server takes connections and gives its process; nothing when it has ended before. */
export async function untilReady(
  data: string,
  supervisor: ChildProcess,
): Promise<number | undefined> {
  while (supervisor.exitCode === null && supervisor.signalCode === null) {
    const lines = await readLockFile(data)
    // A standby says that it is one: it takes connections that read.
    if (lines[7] === 'ready' || lines[7] === 'standby') return Number(lines[0])
    await wait(LOOK_MILLISECONDS)
  }
  return undefined
}

/** Removes what a killed server leaves besides its data: lock file and shared memory. */
export async function removeLock(data: string): Promise<void> {
  const [, segment] = (await readLockFile(data))[6]?.split(/\s+/) ?? []
  if (segment !== undefined) await promisify(execFile)('ipcrm', ['-m', segment])
  await rm(fileOf(data), { force: true })
}
