import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { confirmAlarm } from '../../src/alarms/confirm.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { listLives, newPlace, siteWith, type Instance } from './_place.ts'

const EPOCH = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

/** Sends values of station 1 at minutes. */
const send = async (instance: Instance, ...records: [minute: number, v: number][]) => {
  const report = await instance.ingest.theme(
    records.map(([minute, v]) => ({ station: 1, time: EPOCH + minute * MINUTE, values: { v } })),
  )
  assert.deepEqual(report.rejected, [])
}

const steps = async ({ storage }: Instance, station = 1) =>
  (await listLives(storage, station)).map((life) => life.steps)

const all = {
  scope: 'all',
  orderBy: 'startTime',
  orderDirection: 'asc',
  limit: 9,
  offset: 0,
} as const

test('an alarm is written with its record, its transition and its notification', async () => {
  await using place = await newPlace()
  await using instance = await place.open()

  await send(instance, [0, 0], [1, 60])

  const { alarms } = await instance.storage.alarms.list(all)
  const content = 'Value: 60mm, level 2 threshold (50,100)'
  assert.deepEqual(alarms, [
    {
      id: 1,
      structure: 1,
      source: { id: '1', name: 'S1' },
      sourceType: 2,
      category: 1,
      alarmTypeCode: '3007',
      level: 2,
      content,
      count: 1,
      state: 0,
      startTime: '2026-01-01 00:01:00',
      endTime: '2026-01-01 00:01:00',
    },
  ])
  assert.deepEqual(await instance.storage.alarms.listDetails(1), [
    {
      sponsor: 'plumbline',
      alarmCode: '30070002',
      alarmState: 0,
      currentLevel: 2,
      content,
      time: '2026-01-01 00:01:00',
    },
  ])
})

test('a violation older than a record of another instance is late', async () => {
  await using place = await newPlace()
  await using one = await place.open()
  await using other = await place.open()
  await send(one, [0, 60], [1, 0])

  await send(other, [9, 0])
  await send(one, [5, 60])
  await send(one, [10, 60])

  assert.deepEqual(await steps(one), [[0, 3], [0]])
})

test('a normal record clears the alarm that another instance has opened', async () => {
  await using place = await newPlace()
  await using one = await place.open()
  await using other = await place.open()
  await send(one, [0, 0])

  await send(other, [1, 60])
  await send(one, [2, 0])

  assert.deepEqual(await steps(one), [[0, 3]])
})

test('an alarm is confirmed that another instance has opened after an earlier one ended', async () => {
  await using place = await newPlace()
  await using one = await place.open()
  await using other = await place.open()
  await send(one, [0, 60], [1, 0])
  await send(other, [2, 60])

  const confirmation = { id: 2, user: '7', comment: 'seen', now: EPOCH + 3 * MINUTE }
  const alarm = await confirmAlarm(
    { commits: one.commits, storage: one.storage },
    await one.ingest.catalogue(),
    confirmation,
  )

  assert.deepEqual([alarm.id, alarm.state, alarm.endTime], [2, 4, '2026-01-01 00:03:00'])
  assert.deepEqual(await steps(one), [
    [0, 3],
    [0, 4],
  ])
})

test('batches that are sent without waiting are evaluated in their order', async () => {
  await using place = await newPlace()
  await using instance = await place.open()

  await Promise.all(
    Array.from({ length: 60 }, (_, at) => send(instance, [at, at % 3 === 0 ? 0 : 60])),
  )

  assert.deepEqual(
    await steps(instance),
    Array.from({ length: 20 }, (_, at) => (at < 19 ? [0, 1, 3] : [0, 1])),
  )
})

const RATE = 'rates: [{ per: hour, levels: [{ level: 2, limit: 5 }] }]'

test('a rate continues after a restart and after records of another instance', async () => {
  await using place = await newPlace(siteWith('', RATE))
  {
    await using first = await place.open()
    await send(first, ...Array.from({ length: 10 }, (_, at) => [at * 10, 0] as [number, number]))
  }
  await using one = await place.open()
  await using other = await place.open()

  await send(one, [100, 6])
  await send(other, [110, 6])
  await send(one, [120, 6])
  await send(other, [160, 6])
  await send(one, [180, 6])

  const [life] = await listLives(one.storage, 1)
  // Over the limit until the reading an hour before is one of the new ones.
  assert.deepEqual(life?.steps, [0, 1, 1, 3])
})

test('a rate includes the records that another instance has stored', async () => {
  await using place = await newPlace(siteWith('', RATE))
  await using one = await place.open()
  await using other = await place.open()
  await send(one, [100, 0])

  await send(other, [110, 4])
  await send(one, [170, 8])

  assert.deepEqual(await steps(one), [])
})

test('an alarm that is open when thresholds change continues with the new ones', async () => {
  await using place = await newPlace()
  await using instance = await place.open()
  await send(instance, [0, 60])

  const text = siteWith().replace("'(50,100)'", "'(70,100)'").replace("'(10,50)'", "'(10,70)'")
  await applySite(instance.storage, { text, fileName: 'site.yaml' })
  await send(instance, [1, 60])
  await send(instance, [2, 0])

  const [life] = await listLives(instance.storage, 1)
  assert.deepEqual([life?.level, life?.count, life?.steps], [2, 2, [0, 1, 3]])
})

test('a write that fails leaves no alarm, and later records are evaluated without it', async () => {
  await using place = await newPlace()
  await using instance = await place.open()
  await send(instance, [0, 0])
  const catalogue = await instance.ingest.catalogue()
  const { write } = instance.storage.records
  let isFull = true
  instance.storage.records.write = (...batch) => {
    if (!isFull) return write(...batch)
    isFull = false
    return Promise.reject(new Error('no space'))
  }
  const row = { source: 1, time: EPOCH + 9 * MINUTE, record: '{"v":60}', values: [60] }

  const failing = instance.commits.records(catalogue, { theme: [row] })
  const next = send(instance, [1, 60])

  await assert.rejects(failing, /no space/)
  await next
  const [life] = await listLives(instance.storage, 1)
  assert.deepEqual([life?.count, life?.startTime], [1, '2026-01-01 00:01:00'])
})

test('states are read again only when no write that was computed from the old ones is under way', async () => {
  await using place = await newPlace()
  await using instance = await place.open()
  const { records, alarms } = instance.storage
  const { write } = records
  const { loadStates } = alarms
  let [writes, underWay] = [0, 0]
  const underWayAtReads: number[] = []
  alarms.loadStates = (sources) => {
    underWayAtReads.push(underWay)
    return loadStates(sources)
  }
  records.write = async (...batch) => {
    const number = ++writes
    underWay++
    try {
      if (number === 2 || number === 3) await sleep(number === 2 ? 20 : 150)
      if (number === 2) throw new Error('no space')
      return await write(...batch)
    } finally {
      underWay--
    }
  }
  // A violation, so that the newest record is known and the next ones are sent at once.
  await send(instance, [0, 20])

  const catalogue = await instance.ingest.catalogue()
  const commit = (minute: number, v: number) => {
    const row = { source: 1, time: EPOCH + minute * MINUTE, record: `{"v":${v}}`, values: [v] }
    return instance.commits.records(catalogue, { theme: [row] })
  }
  const [failed, slow] = [commit(1, 120), commit(2, 20)]
  await assert.rejects(failed, /no space/)
  await commit(3, 20)
  await slow

  assert.deepEqual(underWayAtReads, [0, 0])
  const lives = await listLives(instance.storage, 1)
  // Level 1 would be that of the value that was not stored.
  assert.deepEqual(
    lives.map(({ level }) => level),
    [3],
  )
})

test('while a change of a station is planned, its records wait and those of other stations do not', async () => {
  await using place = await newPlace()
  await using instance = await place.open()
  const { commits, ingest } = instance
  // Violations, so that the newest records are known and the next ones could be sent at once.
  await ingest.theme([1, 2].map((station) => ({ station, time: EPOCH, values: { v: 60 } })))
  const done: string[] = []
  const sendTo = (station: number) =>
    ingest.theme([{ station, time: EPOCH + MINUTE, values: { v: 60 } }])
  let own: Promise<unknown> | undefined

  await commits.change(['1'], async () => {
    own = sendTo(1).then(() => done.push('a record of the station'))
    await sendTo(2)
    done.push('a record of another one')
    await sleep(20)
    done.push('planned')
    return { changes: [], result: undefined }
  })
  await own

  assert.deepEqual(done, ['a record of another one', 'planned', 'a record of the station'])
  assert.deepEqual(await steps(instance), [[0, 1]])
})
