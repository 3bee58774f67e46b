import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { replay, type Arrival } from '../../src/domain/alarms/_alarm-model.ts'
import { zone } from '../../src/domain/local-time.ts'
import { ingestTheme } from '../../src/ingest/theme.ts'
import { listLives, newWorld, siteWith, STATIONS, type Instance, type World } from './_world.ts'

const UTC = zone('UTC')
const EPOCH = Date.UTC(2026, 0, 1)

const KINDS = [
  { value: 0, kind: 'calm' },
  { value: 8, kind: 'near' },
  { value: 20, kind: { level: 3 } },
  { value: 60, kind: { level: 2 } },
  { value: 100, kind: { level: 1 } },
] as const

/** Records that one of two instances sends; `restarts` begins with a new instance. */
type Batch = { records: { minute: number; kind: number }[]; instance: number; restarts: boolean }

const batches = fc.array(
  fc.record({
    records: fc.array(fc.record({ minute: fc.nat(12), kind: fc.nat(4) }), {
      minLength: 1,
      maxLength: 4,
    }),
    instance: fc.nat(1),
    restarts: fc.integer({ min: 0, max: 7 }).map((one) => one === 0),
  }),
  { maxLength: 12 },
)

test('alarms of random histories, sent by two instances that restart, are those of the reference model', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(batches, batches, batches),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (histories, clearAfter, needsPerson) => {
        const settings = `clearAfter: ${clearAfter}\n            needsPerson: ${needsPerson}`
        await using world = await newWorld(siteWith(settings))

        await sendAll(world, histories)

        await using reader = await world.open()
        for (const [at, history] of histories.entries()) {
          const expected = replay(history.flatMap(arrivalsOf), {
            clearAfter,
            needsPerson,
            severity: 'lowestFirst',
          })
          assert.deepEqual(
            await listLives(reader.storage, STATIONS[at]!),
            expected.map((alarm) => ({
              ...alarm,
              startTime: UTC.toLocal(alarm.startTime),
              endTime: UTC.toLocal(alarm.endTime),
            })),
          )
        }
        assertToldOnce(world)
      },
    ),
    { numRuns: 30 },
  )
})

const arrivalsOf = ({ records }: Batch): Arrival[] =>
  records.map(({ minute, kind }) => ({ time: timeOf(minute), kind: KINDS[kind]!.kind }))

const timeOf = (minute: number): number => EPOCH + minute * 60_000

/** The stations all at once, the batches of each one after the other. */
async function sendAll(world: World, histories: readonly Batch[][]): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const open = async (): Promise<Instance> => stack.use(await world.open())
  const instances = [await open(), await open()]
  await Promise.all(
    histories.map(async (history, at) => {
      for (const { records, instance, restarts } of history) {
        if (restarts) instances[instance] = await open()
        const report = await ingestTheme(
          instances[instance]!.door,
          records.map(({ minute, kind }) => {
            const values = { v: KINDS[kind]!.value }
            return { station: STATIONS[at]!, time: timeOf(minute), values }
          }),
        )
        assert.deepEqual(report.rejected, [])
      }
    }),
  )
}

/** Each step has its notice, and the watch of each source is about its newest alarm. */
function assertToldOnce(world: World): void {
  const database = new Sqlite(join(world.folder, 'plumbline.db'), { readonly: true })
  try {
    const query = (sql: string): unknown => database.prepare(sql).raw().all()
    assert.deepEqual(
      query(`select alarm_id, step from alarm_notices order by alarm_id, step`),
      query(`select alarm_id, step from alarm_details order by alarm_id, step`),
    )
    assert.deepEqual(
      query(`select alarm_id from alarm_watches order by alarm_id`),
      query(`select max(id) as id from alarms group by source_id, type_code order by id`),
    )
  } finally {
    database.close()
  }
}
