import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../errors/thrown.ts'
import { replaceFile } from './generation.ts'

const NAME = 'state.json'

/** Another service writes into the same folder. */
export class TakenFolder extends Error {
  override name = 'TakenFolder'
}

/** The file in the folder of a copy that says which service writes, and up to when the copy is complete. */
export class StateFile {
  readonly #folder: string
  readonly #now: () => number
  readonly #instance = randomUUID()
  #hasWritten = false

  constructor(folder: string, now: () => number) {
    this.#folder = folder
    this.#now = now
  }

  /** Throws a `TakenFolder` where another service has written since the last call. */
  async write(copiedThrough?: number): Promise<void> {
    const found = await this.#read()
    const instance = this.#instance
    if (this.#hasWritten && (found.instance ?? instance) !== instance)
      throw new TakenFolder(
        `Another service copies into ${this.#folder}. Give each service a folder of its own in backup.continuous.to, then start it again.`,
      )
    await replaceFile(this.#folder, NAME, {
      instance,
      at: this.#now(),
      copiedThrough: copiedThrough ?? found.copiedThrough,
    })
    this.#hasWritten = true
  }

  async #read(): Promise<{ instance?: string; copiedThrough?: number }> {
    const text = await readFile(join(this.#folder, NAME), 'utf8').catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error
      return '{}'
    })
    return JSON.parse(text)
  }
}
