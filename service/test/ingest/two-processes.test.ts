import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Commits } from '../../src/commit/commits.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { RecordIngest } from '../../src/ingest/record-ingest.ts'
import { IngestClock } from '../../src/ingest/records/ingest-clock.ts'
import { StationDerivation } from '../../src/derivation/station-derivation.ts'
import { recompute } from '../../src/derivation/recompute.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { RecordStore, Storage } from '../../src/storage/storage.ts'
import { BASE, CELL, derivedSite, POINT } from '../_derived-site.ts'
import { readRecords } from '../storage/_place.ts'

const START = Date.UTC(2026, 0, 5)
const DAY = 86_400_000
const clock = zone('Asia/Shanghai')
const localAt = (second: number): string => clock.toLocal(START + second * 1000)

/** What one process writes with. */
type Writer = { storage: Storage; ingest: RecordIngest; derivation: StationDerivation }

/** Two writers over one database, each with states and a writer number of its own, as two processes have. */
async function openTwo(stack: AsyncDisposableStack): Promise<[Writer, Writer]> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-two-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const storages = [
    stack.use(await openSqlite(folder, { synchronous: 'OFF' })),
    stack.use(await openSqlite(folder, { synchronous: 'OFF' })),
  ] as const
  await applySite(storages[0], { text: derivedSite(2), fileName: 'site.yaml' })
  return [writerOver(storages[0]), writerOver(storages[1])]
}

const now = () => START + DAY

function writerOver(storage: Storage): Writer {
  const commits = Commits.open({ storage, now })
  const derivation = new StationDerivation({ data: storage.records, commits })
  const clock = new IngestClock({ now })
  return { storage, derivation, ingest: RecordIngest.open({ storage, clock, commits, derivation }) }
}

/** A writer at which something happens when all is read of a station and nothing is written yet. */
function pausing({ storage }: Writer, station: number, happen: () => Promise<unknown>): Writer {
  const { records } = storage
  const pausingData: RecordStore = {
    ...records,
    async *readLists(span) {
      yield* records.readLists(span)
      if (span.kind === 'theme' && span.source === station) await happen()
    },
    async findStored(kind, places) {
      const stored = await records.findStored(kind, places)
      await happen()
      return stored
    },
  }
  return writerOver(Object.assign(Object.create(storage) as Storage, { records: pausingData }))
}

/** The first time only. */
function once(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined
  return () => (done === undefined ? (done = work()) : Promise.resolve())
}

const send = ({ ingest }: Writer, sensor: string, second: number, values: object) =>
  ingest.raw([{ sensor, time: localAt(second), values }])

/** How many records are not what follows from the raw ones. */
async function countWrong({ derivation, ingest }: Writer): Promise<number> {
  const span = { from: START - DAY, to: START + DAY }
  const differences = await recompute(derivation, {
    catalogue: await ingest.catalogue(),
    now: now(),
    structure: 1,
    span,
  })
  return differences.reduce((sum, one) => sum + one.changed + one.added + one.removed, 0)
}

test('two processes that write one group at the same time leave the records derived from both', async () => {
  await using stack = new AsyncDisposableStack()
  const [one, other] = await openTwo(stack)

  const slow = pausing(one, 14, () => sleep(1))
  const waiting: Promise<unknown>[] = []
  for (let at = 0; at < 600; at++) {
    // Few instants, so that each is written again and again, now by the one and now by the other.
    const second = at % 40
    waiting.push(send(at % 3 === 0 ? other : slow, BASE, second, { v: at / 10 }))
    waiting.push(send(at % 2 === 0 ? other : slow, POINT, second, { v: 100 + at }))
    if (at % 5 === 4) await Promise.all(waiting.splice(0))
  }
  await Promise.all(waiting)

  assert.equal(await countWrong(one), 0)
  assert.equal((await readRecords(one.storage, { source: 14 })).length, 40)
})

test('a record that another process stores between read and write is included', async () => {
  await using stack = new AsyncDisposableStack()
  const [one, other] = await openTwo(stack)
  await send(one, BASE, 0, { v: 1 })
  const slow = pausing(
    one,
    14,
    once(() => send(other, BASE, 0, { v: 2 })),
  )

  await send(slow, POINT, 0, { v: 10 })

  assert.deepEqual(await readRecords(one.storage, { source: 14 }), [
    { settling: 8, time: localAt(0) },
  ])
})

test('recomputing keeps what was derived from a newer raw record in the meantime', async () => {
  await using stack = new AsyncDisposableStack()
  const [one] = await openTwo(stack)
  await send(one, CELL, 0, { v: 2 })
  const site = { text: derivedSite(3), fileName: 'site.yaml' }
  await applySite(one.storage, site)
  // Through the same process: stations of one sensor alone are not serialised.
  const slow = pausing(
    one,
    11,
    once(() => send(one, CELL, 0, { v: 5 })),
  )
  const change = await one.storage.changes.begin({
    kind: 'recompute',
    description: 'all',
    startedAt: START,
  })

  await recompute(slow.derivation, {
    catalogue: await slow.ingest.catalogue(),
    now: now(),
    structure: 1,
    span: { from: START, to: START + DAY },
    change,
  })

  assert.deepEqual(await readRecords(one.storage, { source: 11 }), [
    { strain: 12, time: localAt(0) },
  ])
})

test('values that two processes add to one record at the same time are both stored', async () => {
  await using stack = new AsyncDisposableStack()
  const [one, other] = await openTwo(stack)
  const site = derivedSite(2).replaceAll(
    '{ key: v, name: V }',
    '{ key: v, name: V }, { key: w, name: W }',
  )
  await applySite(one.storage, { text: site, fileName: 'site.yaml' })
  const slow = pausing(
    one,
    11,
    once(() => send(other, CELL, 0, { w: 7 })),
  )

  await send(slow, CELL, 0, { v: 3 })

  const { sensors } = await one.ingest.catalogue()
  const source = sensors.get(CELL)!.key
  assert.deepEqual(await readRecords(one.storage, { kind: 'raw', source }), [
    { v: 3, w: 7, time: localAt(0) },
  ])
})
