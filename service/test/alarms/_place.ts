import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Commits } from '../../src/commit/commits.ts'
import { evaluateDue } from '../../src/alarms/evaluate-early-records.ts'
import { IngestClock } from '../../src/ingest/records/ingest-clock.ts'
import { RecordIngest } from '../../src/ingest/record-ingest.ts'
import { EarlySources } from '../../src/ingest/records/early-sources.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'

export const STATIONS = [1, 2, 3]

/** How far ahead a record may lie that is not early. */
export const TOLERANCE = 60_000

/** Levels 1 to 3 at 100, 50 and 10, hysteresis 3, and whatever else the batch and item hold. */
export const siteWith = (batch = '', item = ''): string => `
timeZone: UTC
users: [{ id: 1, name: Office, structures: all }]
structureTypes: [{ id: 1, name: Bridge }]
factors:
  - id: 1
    name: Value
    items:
      - { id: 11, key: v, name: Value, unit: mm, precision: 1 }
      - { id: 12, key: w, name: Other, unit: mm, precision: 1 }
structures:
  - id: 1
    name: Bridge
    type: 1
    latitude: 0
    longitude: 0
    factors:
      - factor: 1
        stations: [${STATIONS.map((id) => `{ id: ${id}, name: S${id} }`).join()}]
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [${STATIONS.join()}]
            ${batch.includes('clearAfter:') ? batch : `clearAfter: 1\n            ${batch}`}
            items:
              - item: v
                hysteresis: { value: 3 }
                ${item}
                config:
                  - thresholds:
                      - { level: 1, value: '(100,+)' }
                      - { level: 2, value: '(50,100)' }
                      - { level: 3, value: '(10,50)' }
`

/** One process that writes: its own storage and commits over a folder that others share. */
export class Instance implements AsyncDisposable {
  readonly storage: Storage
  readonly commits: Commits
  readonly ingest: RecordIngest

  constructor(storage: Storage, writer: number, now: () => number) {
    this.storage = storage
    this.commits = Commits.open({ storage, writer, now, clockTolerance: TOLERANCE })
    this.ingest = RecordIngest.open({
      storage,
      clock: new IngestClock({ now }),
      commits: this.commits,
      early: new EarlySources(storage, TOLERANCE),
    })
  }

  /** Evaluates the early records whose time has come. */
  async evaluateDue(): Promise<void> {
    const catalogue = await this.ingest.catalogue()
    await evaluateDue({ commits: this.commits, storage: this.storage, catalogue })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.storage[Symbol.asyncDispose]()
  }
}

/** A folder with a site, in which instances are opened. */
export class Place implements AsyncDisposable {
  readonly folder: string
  readonly now: () => number
  #writers = 0

  constructor(folder: string, now: () => number) {
    this.folder = folder
    this.now = now
  }

  async open(): Promise<Instance> {
    const storage = await openSqlite(this.folder, { synchronous: 'OFF' })
    return new Instance(storage, ++this.#writers, this.now)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

export async function newPlace(
  site: string = siteWith(),
  now: () => number = Date.now,
): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-alarms-'))
  await using storage = await openSqlite(folder, { synchronous: 'OFF' })
  await applySite(storage, { text: site, fileName: 'site.yaml' })
  return new Place(folder, now)
}

/** The alarms of a station in the order of their beginnings, each with its steps. */
export async function listAlarms(storage: Storage, station: number) {
  const { alarms } = await storage.alarms.list({
    scope: 'all',
    orderBy: 'startTime',
    orderDirection: 'asc',
    limit: 10_000,
    offset: 0,
  })
  const own = alarms
    .filter(({ source }) => source.id === String(station))
    .toSorted((a, b) => a.id - b.id)
  return Promise.all(
    own.map(async ({ id, level, content, count, state, startTime, endTime }) => {
      const steps = await storage.alarms.listDetails(id)
      return { id, level, content, count, state, startTime, endTime, steps }
    }),
  )
}

/** The same in short: of the steps the states, and no texts. */
export async function listLives(storage: Storage, station: number) {
  const alarms = await listAlarms(storage, station)
  return alarms.map(({ level, count, state, startTime, endTime, steps }) => {
    const states = steps.map((one) => one.alarmState)
    return { level, count, state, startTime, endTime, steps: states }
  })
}
