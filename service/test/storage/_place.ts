import assert from 'node:assert/strict'
import { constants, crc32, inflateRawSync } from 'node:zlib'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SiteEntry } from '../../src/domain/site/site-entry.ts'
import type { RecordQuery, RecordRows, RecordsChunk, Storage } from '../../src/storage/storage.ts'

/** Opens the data that belongs to a folder; opening it again finds what was stored. */
export type OpenStorage = (folder: string) => Promise<Storage>

/** Data of its own for one test: opened as often as the test likes, gone afterwards. */
export class Place implements AsyncDisposable {
  readonly folder: string
  readonly #open: OpenStorage
  readonly #stack = new AsyncDisposableStack()

  constructor(folder: string, open: OpenStorage) {
    this.folder = folder
    this.#open = open
    this.#stack.defer(() => rm(folder, { recursive: true, force: true }))
  }

  async open(): Promise<Storage> {
    return this.#stack.use(await this.#open(this.folder))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}

export type NewPlace = () => Promise<Place>

export async function newPlace(open: OpenStorage): Promise<Place> {
  return new Place(await mkdtemp(join(tmpdir(), 'plumbline-storage-')), open)
}

export const EVER = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER } as const

/** What a read yields, as the text of a JSON list, and its number of chunks. */
export async function gather(chunks: AsyncIterable<RecordsChunk>): Promise<string> {
  const texts: string[] = []
  for await (const chunk of chunks) texts.push(textOf(chunk).toString())
  return `[${texts.join(',')}]`
}

function textOf(chunk: RecordsChunk): Buffer {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk)
  const text = inflateRawSync(chunk.deflated, { finishFlush: constants.Z_SYNC_FLUSH })
  assert.deepEqual(
    { length: text.length, crc: crc32(text) },
    { length: chunk.length, crc: chunk.crc },
  )
  return text
}

export async function readRecords(
  storage: Pick<Storage, 'records'>,
  query: Partial<RecordQuery> & { source: number },
): Promise<any[]> {
  const chunks = storage.records.read({ kind: 'theme', shape: 'flat', ...EVER, ...query })
  return JSON.parse(await gather(chunks)) as any[]
}

/** Rows of one source, one a minute from an instant on, with different values. */
export function rowsOf(
  source: number,
  times: readonly number[],
  value: (index: number) => number = (index) => index,
): RecordRows {
  return {
    sources: times.map(() => source),
    times: [...times],
    records: times.map((time, index) => recordAt(time, value(index))),
  }
}

export const recordAt = (time: number, value: number): string =>
  `{"v":${value},"time":"${localText(time)}"}`

/** An instant as a local time of UTC. */
export const localText = (time: number): string =>
  new Date(time).toISOString().slice(0, 19).replace('T', ' ')

export const minutes = (count: number, from = 1_700_000_000_000): number[] =>
  Array.from({ length: count }, (_, index) => from + index * 60_000)

export const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.padEnd(32)))

export const station = (id: number, structure = 1, factor = 1): SiteEntry => ({
  kind: 'station',
  id,
  structure,
  factor,
  group: null,
  name: `Station ${id} 測點`,
  portrait: '',
  labels: [],
  groupParams: {},
  multiParams: null,
  from: null,
})

export const sensor = (id: string, structure = 1): SiteEntry => ({
  kind: 'device',
  id,
  structure,
  name: 'sensor',
  deviceKind: 'sensor',
  parent: null,
  intervalSeconds: null,
  items: [],
})
