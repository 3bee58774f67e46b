import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startChild, type Child } from '../_child.ts'
import { compileShim } from './_shim.ts'

/** A disk that forgets at a power cut what was never synced. */
export class ForgetfulDisk implements AsyncDisposable {
  readonly folder: string
  readonly #scratch: string
  readonly #library: string

  constructor(folder: string, scratch: string, library: string) {
    this.folder = folder
    this.#scratch = scratch
    this.#library = library
  }

  get #durable(): string {
    return join(this.#scratch, 'durable')
  }

  start(environment: Record<string, string> = {}): Promise<Child> {
    return startChild(this.folder, { ...this.environment, ...environment })
  }

  /** With this a process works on the disk. */
  get environment(): Record<string, string> {
    return { LD_PRELOAD: this.#library, CUT_FOLDER: this.folder, CUT_DURABLE: this.#durable }
  }

  /** Cuts the power: each file is what it was when it was last synced, or gone. */
  async cut(child: Child): Promise<void> {
    await child.kill()
    await rm(this.folder, { recursive: true })
    await mkdir(this.folder)
    for (const name of await readdir(this.#durable)) {
      if (name.endsWith('.new')) continue
      const file = join(this.folder, name.replaceAll('%', '/'))
      await mkdir(dirname(file), { recursive: true })
      await cp(join(this.#durable, name), file)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#scratch, { recursive: true, force: true })
  }
}

/** Takes over a folder; what is in it now is on the disk. */
export async function withForgetfulDisk(folder: string): Promise<ForgetfulDisk> {
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-cut-'))
  const durable = join(scratch, 'durable')
  await mkdir(durable)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    await cp(file, join(durable, file.slice(folder.length + 1).replaceAll('/', '%')))
  }
  return new ForgetfulDisk(folder, scratch, await compileShim('power-cut', scratch))
}
