import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, type Child } from '../_child.ts'
import { makeDataFolder, type DataFolder } from '../faults/_site.ts'
import { eventually } from '../_eventually.ts'
import type { Workplace } from '../cli/_cli.ts'

/** What the service says of its continuous copy. */
export type CopyHealth = {
  state: string
  copiedThrough?: string
  secondsBehind?: number
  problem?: string
  generation?: string
  base?: object
  exposure?: string
  generations: number
  pieces: number
}

/** A data folder with a continuous copy in another folder. */
export class CopiedFolder implements AsyncDisposable {
  readonly #data: DataFolder
  readonly copy: string

  constructor(data: DataFolder, copy: string) {
    this.#data = data
    this.copy = copy
  }

  get folder(): string {
    return this.#data.folder
  }

  serve(environment: Record<string, string> = {}): Promise<Child> {
    return startChild(this.folder, {
      PLUMBLINE_BACKUP_CONTINUOUS_TO: this.copy,
      PLUMBLINE_BACKUP_CONTINUOUS_SECONDS: '1',
      ...environment,
    })
  }

  generations(): Promise<string[]> {
    return readdir(this.copy).then((names) =>
      names.filter((name) => name.startsWith('generation-')).toSorted(),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#data[Symbol.asyncDispose]()
    // The process that copies may still finish.
    await rm(this.copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

export async function makeCopiedFolder(): Promise<CopiedFolder> {
  const data = await makeDataFolder()
  return new CopiedFolder(data, await mkdtemp(join(tmpdir(), 'plumbline-copy-')))
}

export const readCopyHealth = async (child: Child): Promise<CopyHealth> =>
  JSON.parse((await child.getOps('/health/backup')).text).continuous

/** Waits until everything that was stored before this call is in the copy. */
export async function untilCopied(child: Child, since = Date.now()): Promise<CopyHealth> {
  return eventually(async () => {
    const health = await readCopyHealth(child)
    assert.ok(Date.parse(health.copiedThrough ?? '1970') > since, JSON.stringify(health))
    return health
  })
}

/** The process of a service that copies. */
export function copyingProcess(child: Child): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  const found = children
    .split(' ')
    .filter((pid) => pid !== '')
    .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('copying-program'))
  assert.ok(found !== undefined, `no process copies: ${children}`)
  return Number(found)
}

/** Restores a copy and returns the values that it has. */
export async function restoreCopied(
  place: Workplace,
  copy: string,
  ...flags: string[]
): Promise<number[]> {
  const folder = join(place.folder, `restored-${Math.random()}`)
  const { code, stderr } = await place.run(['restore', copy, '--data', folder, ...flags])
  assert.equal(code, 0, stderr)
  const window = ['--stations', '1', '--from', '2026-01-01', '--to', '2026-01-01', '--utc']
  const exporting = ['export', ...window, '--format', 'csv', '--output', '-', '--data', folder]
  const { stdout } = await place.run(exporting)
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => Number(row.split(',').at(-1)))
}
