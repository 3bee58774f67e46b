import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { Ingest, sendReady, SOURCES, type Source } from './_backfill.ts'

const NOON = Date.UTC(2026, 2, 1, 12)
const MINUTE = 60_000

/** Values in the normal band and in the bands of levels 2 and 1. */
const CALM = 5
const HIGH = 15
const SEVERE = 25

const clock = (minute: number): string =>
  new Date(NOON + minute * MINUTE).toISOString().slice(0, 19).replace('T', ' ')

/** Sends to a source, and waits until it is stored: some sources respond before. */
async function send(ingest: Ingest, way: Source, minute: number, value: number): Promise<void> {
  const at = NOON + minute * MINUTE
  await way.send(ingest, { at, value })
  await eventually(async () => {
    const query = { kind: 'theme', source: way.station, from: at, to: at, shape: 'flat' } as const
    assert.equal((await Array.fromAsync(ingest.service.storage.records.read(query))).length, 1)
  })
}

/** The newest record of a station, as the interface shows it. */
async function readLatest({ service, token }: Ingest, station: number): Promise<unknown> {
  const response = await service.get(`/stations/theme/data?stations=${station}&limit=1`, token)
  return response.json().stations[0].data[0].time
}

async function listAlarms({ service }: Ingest) {
  const { alarms } = await service.storage.alarms.list({
    scope: 'all',
    orderBy: 'startTime',
    orderDirection: 'asc',
    limit: 10,
    offset: 0,
  })
  return alarms
}

const eventsOf = ({ receiver }: Ingest): string[] =>
  receiver.posts.map(({ body }) => (JSON.parse(body) as { event: string }).event)

describe('a record that is older than the newest of its station', () => {
  for (const way of SOURCES)
    test(`is not the newest and sends no notification: ${way.name}`, async () => {
      await using ingest = await Ingest.start()
      const { alarms, deliveries } = ingest.service.storage

      await send(ingest, way, 0, CALM)
      await send(ingest, way, -10, SEVERE)

      assert.equal(await readLatest(ingest, way.station), clock(0))
      assert.deepEqual(await listAlarms(ingest), [])

      await send(ingest, way, 10, HIGH)
      await send(ingest, way, 30, HIGH)
      await send(ingest, way, 20, SEVERE)

      assert.equal(await readLatest(ingest, way.station), clock(30))
      const [alarm, ...others] = await listAlarms(ingest)
      assert.deepEqual(others, [])
      assert.deepEqual(
        (await alarms.listDetails(alarm!.id)).map(({ alarmState, currentLevel, time }) => [
          alarmState,
          currentLevel,
          time,
        ]),
        [
          [0, 2, clock(10)],
          [1, 2, clock(30)],
          [2, 1, clock(20)],
        ],
      )

      // Messages go one after the other: once the last one is there, no other will come.
      await sendReady(ingest, way.station, { at: NOON + 40 * MINUTE, value: HIGH })

      await eventually(() => assert.equal(eventsOf(ingest).at(-1), 'repeated'))
      const made = await eventually(async () => {
        const list = await deliveries.list({ limit: 10 })
        assert.deepEqual([list.length, list[0]?.state], [4, 'delivered'])
        return list.toReversed()
      })
      const late = ['suppressed', 'late: the record is older than the newest of its source']
      const told = ['delivered', null]
      const newest = way.isNotified ? told : late
      assert.deepEqual(
        made.map(({ state, reason }) => [state, reason]),
        [newest, newest, late, told],
      )
      assert.deepEqual(
        eventsOf(ingest),
        way.isNotified ? ['new', 'repeated', 'repeated'] : ['repeated'],
      )
    })
})
