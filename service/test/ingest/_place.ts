import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RecordIngest } from '../../src/ingest/record-ingest.ts'
import { IngestClock } from '../../src/ingest/records/ingest-clock.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import type { RecordKind, Storage } from '../../src/storage/storage.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { SITE } from './_site.ts'

export const NOW = Date.UTC(2026, 2, 1, 12)

const ingestInto = (storage: Storage): RecordIngest =>
  RecordIngest.open({ storage, clock: new IngestClock({ now: () => NOW }) })

/** Ingest over a folder of its own, which can be closed and opened again. */
export class TestPlace implements AsyncDisposable {
  readonly folder: string
  #storage: Awaited<ReturnType<typeof openSqlite>>
  #ingest: RecordIngest

  private constructor(folder: string, storage: Awaited<ReturnType<typeof openSqlite>>) {
    this.folder = folder
    this.#storage = storage
    this.#ingest = ingestInto(storage)
  }

  static async open(): Promise<TestPlace> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-ingest-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const storage = stack.use(await openSqlite(folder))
    await applySite(storage, { text: SITE, fileName: 'site.yaml' })
    stack.move()
    return new TestPlace(folder, storage)
  }

  get storage() {
    return this.#storage
  }

  get ingest(): RecordIngest {
    return this.#ingest
  }

  /** Closes everything and opens it again, as a service that is started anew does. */
  async reopen(): Promise<void> {
    await this.#storage[Symbol.asyncDispose]()
    this.#storage = await openSqlite(this.folder)
    this.#ingest = ingestInto(this.#storage)
  }

  /** Every record of a source, oldest first, as it is served. */
  async read(kind: RecordKind, source: number): Promise<Record<string, unknown>[]> {
    const chunks: Buffer[] = []
    const query = { kind, source, from: 0, to: NOW * 2, shape: 'nested' } as const
    for await (const chunk of this.#storage.records.read(query)) chunks.push(Buffer.from(chunk))
    return JSON.parse(`[${chunks.map(String).join(',')}]`) as Record<string, unknown>[]
  }

  /** The records of a sensor. */
  async readSensor(id: string): Promise<Record<string, unknown>[]> {
    const { sensors } = await this.#ingest.catalogue()
    return this.read('raw', sensors.get(id)!.key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#storage[Symbol.asyncDispose]()
    await rm(this.folder, { recursive: true, force: true })
  }
}
