import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Import, Replacement } from '@plumbline/contract'
import { codeOf } from '../../errors/thrown.ts'
import { writePrivate } from '../../storage/private-files.ts'

/** An import as it is kept in its file. */
export type StoredImport = Import & {
  members?: string | undefined
  replace?: Replacement | undefined
  /** When the service that has it in hand was alive last. */
  seenAt: number
}

const FOLDER = 'imports'
const STATE = /^(\d{1,9})\.json$/

/**
 * The imports of a data folder. Each has a file with its state, its mapping, and its data until it has
 * ended; every instance of the folder sees them.
 */
export class ImportFolder {
  readonly #path: string

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, FOLDER)
  }

  /** The file that is imported. */
  dataFile(id: number): string {
    return join(this.#path, `${id}.data`)
  }

  /** The mapping, with which rejected rows are read again. */
  mappingFile(id: number): string {
    return join(this.#path, `${id}.yaml`)
  }

  /** Adds an import under the next id. */
  async add(record: Omit<StoredImport, 'id'>, mapping: string): Promise<StoredImport> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 })
    for (let id = ((await this.ids())[0] ?? 0) + 1; ; id++) {
      // The file with the mapping is the claim: two instances may add one at once.
      if (!(await createFile(this.mappingFile(id), mapping))) continue
      const added = { id, ...record }
      await this.write(added)
      return added
    }
  }

  /** The ids of all imports, newest first. */
  async ids(): Promise<number[]> {
    const names = await readdir(this.#path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return []
      throw error
    })
    return names
      .flatMap((name) => STATE.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((one, other) => other - one)
  }

  async find(id: number): Promise<StoredImport | undefined> {
    try {
      return JSON.parse(await readFile(this.#stateFile(id), 'utf8'))
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async write(record: StoredImport): Promise<void> {
    const file = this.#stateFile(record.id)
    await writePrivate(`${file}.new`, JSON.stringify(record))
    await rename(`${file}.new`, file)
  }

  /** Writes a part of the data at its place; what was behind it is gone. */
  async writePart(id: number, offset: number, bytes: Uint8Array): Promise<void> {
    await using handle = await open(this.dataFile(id), offset === 0 ? 'w' : 'r+', 0o600)
    for (let at = 0; at < bytes.length;)
      at += (await handle.write(bytes, at, bytes.length - at, offset + at)).bytesWritten
    await handle.truncate(offset + bytes.length)
  }

  removeData(id: number): Promise<void> {
    return rm(this.dataFile(id), { force: true })
  }

  /** Asks the instance that runs an import to stop it. */
  async askToStop(id: number): Promise<void> {
    await createFile(this.#stopFile(id), '')
  }

  /** Whether somebody asked to stop it. */
  async isAskedToStop(id: number): Promise<boolean> {
    return (await readFile(this.#stopFile(id)).catch(() => undefined)) !== undefined
  }

  async remove(id: number): Promise<void> {
    const files = [this.#stateFile(id), this.mappingFile(id), this.dataFile(id), this.#stopFile(id)]
    for (const file of files) await rm(file, { force: true })
  }

  #stateFile(id: number): string {
    return join(this.#path, `${id}.json`)
  }

  #stopFile(id: number): string {
    return join(this.#path, `${id}.stop`)
  }
}

/** Creates a file for its owner only; false where it exists. */
async function createFile(file: string, content: string): Promise<boolean> {
  try {
    await using handle = await open(file, 'wx', 0o600)
    await handle.writeFile(content)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
