import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Door } from '../../src/ingest/records/door.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import type { RecordKind } from '../../src/storage/storage.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { SITE } from './_site.ts'

export const NOW = Date.UTC(2026, 2, 1, 12)

/** A door over a folder of its own, which can be closed and opened again. */
export class TestDoor implements AsyncDisposable {
  readonly folder: string
  #storage: Awaited<ReturnType<typeof openSqlite>>

  private constructor(folder: string, storage: Awaited<ReturnType<typeof openSqlite>>) {
    this.folder = folder
    this.#storage = storage
  }

  static async open(): Promise<TestDoor> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-door-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const storage = stack.use(await openSqlite(folder))
    await applySite(storage, { text: SITE, fileName: 'site.yaml' })
    stack.move()
    return new TestDoor(folder, storage)
  }

  get storage() {
    return this.#storage
  }

  get door(): Door {
    return { catalogue: openCatalogue(this.#storage.sites), storage: this.#storage, now: () => NOW }
  }

  /** Closes everything and opens it again, as a service that is started anew does. */
  async reopen(): Promise<void> {
    await this.#storage[Symbol.asyncDispose]()
    this.#storage = await openSqlite(this.folder)
  }

  /** Every record of a source, oldest first, as it is served. */
  async read(kind: RecordKind, source: number): Promise<Record<string, unknown>[]> {
    const pieces: Buffer[] = []
    const query = { kind, source, from: 0, to: NOW * 2, shape: 'nested' } as const
    for await (const piece of this.#storage.data.read(query)) pieces.push(Buffer.from(piece))
    return JSON.parse(`[${pieces.map(String).join(',')}]`) as Record<string, unknown>[]
  }

  /** The records of a sensor. */
  async readSensor(id: string): Promise<Record<string, unknown>[]> {
    const { sensors } = await this.door.catalogue()
    return this.read('raw', sensors.get(id)!.key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#storage[Symbol.asyncDispose]()
    await rm(this.folder, { recursive: true, force: true })
  }
}
