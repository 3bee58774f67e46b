import { constants } from 'node:fs'
import { copyFile, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync, constants as zlib } from 'node:zlib'
import { doctor } from '../../src/cli/doctor.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { SiteEntry } from '../../src/domain/site/site-entry.ts'
import type { RecordQuery, RecordsChunk, Storage } from '../../src/storage/storage.ts'
import { EVER, minutes, rowsOf, sensor, station } from '../storage/_place.ts'
import { sampleAlarm } from '../storage/_sample-alarm.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'

const FILE = 'plumbline.db'
const HOUR = 3_600_000
const START = Date.UTC(2026, 1, 28)
const UTC = zone('UTC')

/** The effect of one bit: a response is the same, fails, or differs. */
export type Flip = {
  offset: number
  bit: number
  failed: string[]
  wrong: string[]
  found: string[]
}

/** A filled database, of which copies with one bit turned are asked everything. */
export class BitFlips implements AsyncDisposable {
  readonly #folder: string
  readonly #bytes: Buffer
  readonly #responses: Map<string, string>

  private constructor(folder: string, bytes: Buffer, responses: Map<string, string>) {
    this.#folder = folder
    this.#bytes = bytes
    this.#responses = responses
  }

  static async open(): Promise<BitFlips> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-flips-'))
    {
      await using storage = await openSqlite(folder, { synchronous: 'OFF' })
      await fill(storage)
    }
    const bytes = await readFile(join(folder, FILE))
    await copyFile(join(folder, FILE), join(folder, 'sound'), constants.COPYFILE_FICLONE)
    const found = await readAll(folder)
    for (const [ask, response] of found)
      if (response instanceof Error) throw new Error(ask, { cause: response })
    const damages = await examine(folder)
    if (damages.length > 0) throw new Error(damages.join('\n'))
    return new BitFlips(folder, bytes, found as Map<string, string>)
  }

  get size(): number {
    return this.#bytes.length
  }

  /** The offsets of a text: in the rows that have it, and in indexes. */
  placesOf(text: string): number[] {
    const places: number[] = []
    for (let at = this.#bytes.indexOf(text); at >= 0; at = this.#bytes.indexOf(text, at + 1))
      places.push(at)
    return places
  }

  async flip(offset: number, bit: number): Promise<Flip> {
    await copyFile(join(this.#folder, 'sound'), join(this.#folder, FILE))
    const file = await open(join(this.#folder, FILE), 'r+')
    await file.write(Uint8Array.of(this.#bytes[offset]! ^ (1 << bit)), 0, 1, offset)
    await file.close()
    const flip: Flip = { offset, bit, failed: [], wrong: [], found: [] }
    const responses = await readAll(this.#folder)
    for (const [ask, expected] of this.#responses) {
      const response = responses.get(ask)
      if (response === undefined || response instanceof Error) flip.failed.push(ask)
      else if (response !== expected) flip.wrong.push(ask)
    }
    flip.found = await examine(this.#folder)
    return flip
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}

const SITE: SiteEntry[] = [
  { kind: 'structureType', id: 1, name: 'Bridge' },
  {
    kind: 'factor',
    id: 1,
    name: 'Strain',
    structureTypes: null,
    timeDivision: false,
    items: [{ id: 1, key: 'v', name: 'Value', unit: '', precision: 0 }],
  },
  {
    kind: 'structure',
    id: 1,
    name: 'Bridge',
    type: 1,
    latitude: 0,
    longitude: 0,
    portrait: '',
    timeZone: 'UTC',
    projects: [],
    factors: [1],
    traffic: null,
  },
]

async function fill(storage: Storage): Promise<void> {
  const entries = [...SITE, station(1), station(2), station(3), sensor('a')]
  await storage.site.apply({ put: entries, remove: [], withRecords: false }, 0)
  const every = minutes(2_500, START)
  for (const source of [1, 2]) await storage.records.write({ theme: rowsOf(source, every) })
  await storage.records.write({ theme: rowsOf(3, every), raw: rowsOf(1, every.slice(0, 900)) })
  const day = { kind: 'theme', start: START, until: START + 24 * HOUR, zone: UTC } as const
  await storage.sealedDays.seal({ ...day, source: 3 })
  // Beside what is sealed, and in the midst of what is open.
  await storage.records.write({ theme: rowsOf(3, every.slice(100, 120), (at) => at + 9) })
  await storage.records.write({ theme: rowsOf(1, every.slice(700, 705), (at) => at + 9) })
  await storage.traffic.write(
    every.slice(0, 400).map((time, at) => ({
      structure: 1,
      time,
      identity: `vehicle ${at}`,
      overload: at % 7 === 0,
      license: `A-${at}`,
      load: at % 50,
      record: `{"vehicle":${at}}`,
      details: `{"axles":[${at},2]}`,
    })),
  )
  await storeAlarms(
    storage,
    Array.from({ length: 120 }, (_, at) => ({
      ...sampleAlarm(at + 1),
      details: [detail(`step one of ${at}`), detail(`step two of ${at}`)],
    })),
  )
}

const detail = (content: string) => ({
  sponsor: 'plumbline',
  alarmCode: '30070002',
  alarmState: 0,
  currentLevel: 2,
  content,
  time: '2026-03-01 00:00:00',
})

async function readAll(folder: string): Promise<Map<string, string | Error>> {
  const responses = new Map<string, string | Error>()
  try {
    await using storage = await openSqlite(folder, { synchronous: 'OFF' })
    for (const [name, ask] of requests(storage)) {
      const response = await ask().catch((error: unknown) => error as Error)
      responses.set(name, response)
    }
  } catch (error) {
    // A service that does not start sends no response.
    responses.set('opening', error as Error)
  }
  return responses
}

function* requests(storage: Storage): Generator<[name: string, ask: () => Promise<string>]> {
  const windows = [
    EVER,
    { from: START + HOUR / 2 + 1, to: START + 5 * HOUR },
    { from: START + 20 * HOUR, to: START + 30 * HOUR },
    { from: START + 30.25 * HOUR, to: START + 30.5 * HOUR },
  ]
  const sources = [
    ['theme', 1],
    ['theme', 2],
    ['theme', 3],
    ['raw', 1],
  ] as const
  for (const [kind, source] of sources) {
    const of = `${kind} ${source}`
    const read = (query: Partial<RecordQuery>) => () =>
      gather(storage.records.read({ kind, source, shape: 'flat', ...EVER, ...query }))
    for (const [at, window] of windows.entries()) {
      yield [`${of} window ${at}`, read(window)]
      yield [`${of} nested ${at}`, read({ ...window, shape: 'nested' })]
      yield [
        `${of} hours ${at}`,
        () =>
          Array.fromAsync(storage.records.readHours({ kind, source, zone: UTC, ...window })).then(
            (hours) => JSON.stringify(hours.map(({ start, items }) => [start, [...items]])),
          ),
      ]
    }
    yield [
      `${of} deflated`,
      () => gather(storage.records.readDeflated({ kind, source, shape: 'flat', ...EVER })),
    ]
    for (const newest of [1, 2, 90, 2400]) yield [`${of} newest ${newest}`, read({ newest })]
    yield [`${of} newest in a window`, read({ ...windows[1]!, newest: 1 })]
  }
  const traffic = { structure: 1, ...EVER }
  yield ['traffic', () => gather(storage.traffic.read(traffic))]
  yield ['traffic overload', () => gather(storage.traffic.read({ ...traffic, overload: true }))]
  yield ['traffic license', () => gather(storage.traffic.read({ ...traffic, license: 'A-39' }))]
  yield ['site', async () => JSON.stringify(await storage.site.load())]
  const page = { scope: 'all', orderDirection: 'asc', limit: 50, offset: 30 } as const
  yield [
    'alarms',
    async () => JSON.stringify(await storage.alarms.list({ ...page, orderBy: 'startTime' })),
  ]
  yield ['count of alarms', async () => String(await storage.alarms.count('all', 'new'))]
  for (const id of [1, 60, 120]) {
    yield [`alarm ${id}`, async () => JSON.stringify(await storage.alarms.find(id))]
    yield [`steps of alarm ${id}`, async () => JSON.stringify(await storage.alarms.listDetails(id))]
  }
}

async function gather(chunks: AsyncIterable<RecordsChunk>): Promise<string> {
  const texts: string[] = []
  for await (const chunk of chunks)
    texts.push(
      chunk instanceof Uint8Array
        ? Buffer.from(chunk).toString()
        : inflateRawSync(chunk.deflated, { finishFlush: zlib.Z_SYNC_FLUSH }).toString(),
    )
  return texts.join(',')
}

/** What `plumbline doctor` finds. */
async function examine(folder: string): Promise<string[]> {
  const lines: string[] = []
  try {
    const { signal } = new AbortController()
    const print = (line: string) => lines.push(line)
    await doctor.run({ dataFolder: folder, signal, print, flags: {}, positionals: [] } as never)
    return []
  } catch (error) {
    return [...lines, (error as Error).message]
  }
}
