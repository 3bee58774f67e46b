import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

export const MAPPING = `format: csv
offset: '+08:00'
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: S, station: 1002, item: strain }]
`
export const HEADER = 'Time;S\n'
export const row = (minute: number, strain: number): string =>
  `2024-03-01 00:${String(minute).padStart(2, '0')}:00;${strain}\n`

/** A folder beside a service that watches it. */
export class Watched implements AsyncDisposable {
  service!: TestService
  readonly #home: TestService
  readonly #settings: Record<string, unknown>

  constructor(home: TestService, settings: Record<string, unknown>) {
    this.#home = home
    this.#settings = settings
  }

  path(name: string): string {
    return join(this.#home.folder, 'incoming', name)
  }

  async start(): Promise<void> {
    this.service = await withService({
      folder: this.#home.folder,
      settings: { ...this.#settings } as never,
      expirePositionsMilliseconds: 50,
    })
  }

  /** Starts a second instance beside the first. */
  startAnother(settings: Record<string, unknown>): Promise<TestService> {
    return withService({
      folder: this.#home.folder,
      settings: { ...this.#settings, ...settings } as never,
    })
  }

  async restart(): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.start()
  }

  async strains(station = 1002): Promise<number[]> {
    const { storage } = this.service ?? this.#home
    const query = { kind: 'theme', source: station, from: 0, to: 4e12, shape: 'flat' } as const
    const chunks = await Array.fromAsync(storage.records.read(query))
    const records = JSON.parse(`[${chunks.map((chunk) => Buffer.from(chunk)).join(',')}]`)
    return records.map(({ strain }: { strain: number }) => strain)
  }

  /** Waits until a read returns this value; the test runner ends a wait that takes too long. */
  async until<Value>(read: () => Promise<Value> | Value, expected: Value): Promise<void> {
    for (;;) {
      const now = await read()
      try {
        return assert.deepEqual(now, expected)
      } catch {
        await new Promise((resume) => setTimeout(resume, 20))
      }
    }
  }

  /** Waits until files that do not change any more have been looked at again. */
  async waitUntilRead(): Promise<void> {
    await new Promise((resume) => setTimeout(resume, 500))
  }

  logged(words: string): number {
    return this.service.logged.filter((line) => line.includes(words)).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service?.[Symbol.asyncDispose]()
    await this.#home[Symbol.asyncDispose]()
  }
}

export async function watched({
  mapping = `delimiter: ;\n${MAPPING}`,
  fileIdleSeconds = 3600,
  folders = ['incoming'],
  settings = {},
}: {
  mapping?: string
  fileIdleSeconds?: number
  folders?: string[]
  settings?: Record<string, unknown>
} = {}): Promise<Watched> {
  const home = await withService({ site: SITE })
  await mkdir(join(home.folder, 'incoming'))
  await writeFile(join(home.folder, 'm.yaml'), mapping)
  return new Watched(home, {
    'ingest.fileIdleSeconds': fileIdleSeconds,
    'ingest.folders': folders.map((path) => ({
      path,
      pattern: '*.csv*',
      mapping: 'm.yaml',
      pollSeconds: 0.1,
    })),
    ...settings,
  })
}
