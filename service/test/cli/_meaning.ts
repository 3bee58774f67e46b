import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordKey, recordText } from '../../src/domain/records/record-text.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { RecordKind, RecordRows } from '../../src/storage/storage.ts'
import { readRecords } from '../storage/_place.ts'
import { workplace, type Result, type Workplace } from './_cli.ts'

export const GAUGE = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'
export const OTHER_GAUGE = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a02'

/** Two stations of a factor in one structure and one in another, and two gauges. */
export const PIT = `timeZone: Europe/Berlin
users: [{ id: 1, name: Office, structures: all }]
structureTypes: [{ id: 2, name: Pit }]
factors:
  - id: 15
    name: Settlement
    items:
      - { id: 151, key: settling, name: Settling, unit: mm, precision: 0.01 }
      - { id: 152, key: temp, name: Temperature, unit: '°C', precision: 0.1 }
structures:
  - id: 1
    name: Pit
    type: 2
    latitude: 1
    longitude: 2
    factors:
      - factor: 15
        stations: [{ id: 11, name: S-1 }, { id: 12, name: S-2 }]
        thresholds:
          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11
            stations: [11, 12]
            items: [{ item: settling, config: [{ thresholds: [{ level: 1, value: '(30,+)' }] }] }]
    devices:
      - { id: ${GAUGE}, name: G-1, kind: sensor, items: [{ key: reading, name: Reading, unit: mV }] }
      - { id: ${OTHER_GAUGE}, name: G-2, kind: sensor, items: [{ key: reading, name: Reading, unit: mV }] }
  - id: 2
    name: Shaft
    type: 2
    latitude: 1
    longitude: 2
    factors: [{ factor: 15, stations: [{ id: 21, name: T-1 }] }]
    devices: []
`

const HOUR = 3_600_000
const DAY = 24 * HOUR
export const START = Date.UTC(2026, 0, 10, 11)
const BERLIN = zone('Europe/Berlin')

type Values = Readonly<Record<string, number>>

export const textAt = (time: number, values: Values): string =>
  recordText(Object.keys(values).map(recordKey), Object.values(values), BERLIN.toLocal(time))

/** A record a day. */
export function daily(source: number, days: number, valuesOf: (day: number) => Values): RecordRows {
  const times = Array.from({ length: days }, (_, day) => START + day * DAY)
  return {
    sources: times.map(() => source),
    times,
    records: times.map((time, day) => textAt(time, valuesOf(day))),
  }
}

/** Applies a site file and returns what it printed; `signal` interrupts it. */
export async function apply(
  place: Workplace,
  text: string,
  flags: readonly string[] = [],
  terminal: { answer?: string; signal?: AbortSignal } = {},
): Promise<Result> {
  await writeFile(join(place.folder, 'site.yaml'), text)
  return place.run(['site', 'apply', 'site.yaml', ...flags], terminal)
}

const SEALED_DAYS = 5

/**
 * Applies the pit. Each of its stations has ten records, five of them in sealed days and one of these
 * corrected, and one gauge has three.
 */
export async function storePit(place: Workplace): Promise<void> {
  await using storage = await openSqlite(join(place.folder, 'data'))
  await applySite(storage, { text: PIT, fileName: 'site.yaml' })
  const { records, sealedDays, site } = storage
  for (const station of [11, 12, 21]) {
    await records.write({ theme: daily(station, 10, (day) => ({ settling: day * 10, temp: 4 })) })
    for (let day = 0; day < SEALED_DAYS; day++) {
      const start = START - 12 * HOUR + day * DAY
      const span = { kind: 'theme', source: station, start, until: start + DAY } as const
      await sealedDays.seal({ ...span, zone: BERLIN })
    }
    await records.write({ theme: daily(station, 1, () => ({ settling: 0.5 })) })
  }
  const key = (await site.load()).sensorKeys.get(GAUGE) ?? 0
  await records.write({ raw: daily(key, 3, (day) => ({ reading: day })) })
}

/** The records of a source as they are served. */
export async function recordsOf(
  place: Workplace,
  kind: RecordKind,
  source: number | string,
): Promise<string[]> {
  await using storage = await openSqlite(join(place.folder, 'data'))
  const keys = (await storage.site.load()).sensorKeys
  const number = typeof source === 'number' ? source : (keys.get(source) ?? 0)
  const records = await readRecords(storage, { kind, source: number })
  return records.map((record) => JSON.stringify(record))
}

/** A signal that says from its nth question on that the command is to stop. */
export function abortsAfter(times: number): AbortSignal {
  const { signal } = new AbortController()
  let left = times
  return new Proxy(signal, {
    get: (target, name) => (name === 'aborted' ? left-- <= 0 : Reflect.get(target, name, target)),
  })
}

/** The pit with a part replaced that must be there. */
export const changed = (from: string | RegExp, to: string, text = PIT): string => {
  assert.notEqual(text.replace(from, to), text, String(from))
  return text.replace(from, to)
}

export const IN_METRES = changed(
  'unit: mm, precision: 0.01',
  'unit: m, precision: 0.00001',
).replace('(30,+)', '(0.03,+)')
export const RENAMED = PIT.replace('key: settling', 'key: settlement').replace(
  'item: settling',
  'item: settlement',
)

export async function pit(): Promise<Workplace> {
  const place = await workplace()
  await storePit(place)
  return place
}

/** The records of station 11: the first one is a correction. */
export const recordsWith = (key: string, valueOf: (settling: number) => number): string[] =>
  daily(11, 10, (day) =>
    day === 0 ? { [key]: valueOf(0.5) } : { [key]: valueOf(day * 10), temp: 4 },
  ).records

export const inMillimetres = recordsWith('settling', (value) => value)
