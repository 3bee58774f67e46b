import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'

const NOW = Date.UTC(2026, 2, 2)

const service = () => withService({ site: SITE, now: () => NOW })

/** Calls as a user; user 1 sees everything, user 2 the river only. */
async function call(
  place: TestService,
  path: string,
  { userId = 1, body }: { userId?: number; body?: object } = {},
): Promise<HttpResponse> {
  return place.call(`/manage/v1/stations/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${await place.issueToken(userId)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
}

/** The records of station 1001 as the interface has them, newest first. */
async function dataOf(place: TestService): Promise<Record<string, unknown>[]> {
  const path = '/stations/theme/data?stations=1001&limit=10'
  return (await place.get(path, await place.issueToken())).json().stations[0].data
}

const record = (time: string | number, strain: number, note?: string) => ({
  time,
  values: { strain },
  ...(note === undefined ? {} : { note }),
})

const MORNING = '2026-03-01 08:00:00'

describe('addReadings', () => {
  test('readings of one second are told apart by their milliseconds; the interface has seconds', async () => {
    await using place = await service()
    const times = [`${MORNING}.250`, `${MORNING}.750`, MORNING]

    await call(place, '1001/readings', { body: { records: times.map((one) => record(one, 1)) } })

    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ time }: { time: string }) => time),
      [`${MORNING}.750`, `${MORNING}.250`, MORNING],
    )
    const token = await place.issueToken()
    const data = await place.get('/stations/theme/data?stations=1001&limit=9', token)
    assert.deepEqual(
      data.json().stations[0].data.map(({ time }: { time: string }) => time),
      [MORNING, MORNING, MORNING],
    )
  })

  test('stores records of the station, and who measured them', async () => {
    await using place = await service()
    const records = [record(MORNING, 12.5, 'by dial gauge'), record('2026-03-01 09:00:00', 13)]

    const response = await call(place, '1001/readings', { body: { author: '李伟', records } })

    assert.deepEqual(response.json(), { accepted: 2, replaced: 0, rejected: [], change: 1 })
    const data = await place.get(
      '/stations/theme/data?stations=1001&limit=10',
      await place.issueToken(),
    )
    assert.deepEqual(data.json().stations[0].data, [
      { strain: 13, time: '2026-03-01 09:00:00' },
      { strain: 12.5, time: MORNING },
    ])
    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(readings, [
      {
        time: '2026-03-01 09:00:00',
        values: { strain: 13 },
        author: '李伟',
        userId: 1,
        note: '',
        enteredAt: NOW,
        change: 1,
        undone: false,
      },
      {
        time: MORNING,
        values: { strain: 12.5 },
        author: '李伟',
        userId: 1,
        note: 'by dial gauge',
        enteredAt: NOW,
        change: 1,
        undone: false,
      },
    ])
  })

  test('takes the user as the author by default', async () => {
    await using place = await service()
    const records = [{ time: '2026-03-01 08:00:00', values: { waterLevel: 2 } }]

    await call(place, '2001/readings', { userId: 2, body: { records } })

    const [reading] = (await call(place, '2001/readings')).json().readings
    assert.deepEqual([reading.author, reading.userId], ['River office', 2])
  })

  test('names rejected readings, stores the rest, and stores no reading without its record', async () => {
    await using place = await service()
    const records = [
      record('2026-02-30 08:00:00', 1, 'no such day'),
      { time: MORNING, values: { crack: 1 }, note: 'no such item' },
      record(MORNING, 2, 'right'),
      record('2026-03-05 08:00:00', 3, 'not yet'),
    ]

    const response = await call(place, '1001/readings', { body: { records } })

    const report = response.json()
    assert.equal(report.accepted, 1)
    assert.deepEqual(
      report.rejected.map(({ index, message }: any) => [index, message]),
      [
        [
          0,
          'time must be a local date and time YYYY-MM-DD HH:mm:ss, an ISO 8601 instant or epoch milliseconds',
        ],
        [1, 'station 1001 has no item "crack"'],
        [
          3,
          "time 2026-03-05 08:00:00 is more than one day ahead of the service's clock (2026-03-02 08:00:00)",
        ],
      ],
    )
    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ note }: any) => note),
      ['right'],
    )
  })

  test('keeps a correction beside what it corrects, and what is sent twice once', async () => {
    await using place = await service()

    for (const strain of [1, 1, 2])
      await call(place, '1001/readings', { body: { records: [record(MORNING, strain)] } })

    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ values }: any) => values.strain),
      [2, 1],
    )
  })

  test('is a change: undone, it takes what was entered and restores what it replaced', async () => {
    await using place = await service()
    const key = await place.createKey()
    const values = { strain: 1, temperature: 5 }
    await place.ingest('theme', key, { records: [{ station: 1001, time: MORNING, values }] })
    const EVENING = '2026-03-01 20:00:00'
    const records = [record(MORNING, 2), record(EVENING, 3)]

    const { change } = (await call(place, '1001/readings', { body: { records } })).json()
    const meanwhile = await dataOf(place)
    const [listed] = await place.storage.changes.list()
    const step = await place.storage.changes.undo(change, { limit: 9, now: NOW })

    assert.deepEqual(meanwhile, [
      { strain: 3, time: EVENING },
      { strain: 2, temperature: 5, time: MORNING },
    ])
    assert.deepEqual([step.removed, step.restored, step.left], [1, 1, 0])
    assert.deepEqual(await dataOf(place), [{ ...values, time: MORNING }])
    assert.equal(listed!.kind, 'reading')
    assert.equal(
      listed!.description,
      `station 1001: reading of ${MORNING} to ${EVENING} by "管理员"`,
    )
    assert.notEqual(listed!.finishedAt, null)
    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ undone, change: of }: any) => [undone, of]),
      [
        [true, change],
        [true, change],
      ],
    )
  })

  test('raises an alarm that is notified like that of a device', async () => {
    await using place = await service()

    await call(place, '1001/readings', { body: { records: [record(MORNING, 400)] } })

    const [entry, ...more] = await place.storage.outbox.list(10)
    assert.deepEqual([entry?.isLate, more.length], [false, 0])
  })

  test('what is sent twice is one change, also at once; what was overwritten is entered again', async () => {
    await using place = await service()
    const key = await place.createKey()
    const enter = async (...records: object[]) =>
      (await call(place, '1001/readings', { body: { records } })).json()
    const twice = [record(MORNING, 1), record(MORNING, 2), record('2026-03-01 09:00:00', 3)]

    const sent = await Promise.all([enter(...twice), enter(...twice)])
    const mixed = await enter(...twice, record('2026-03-01 10:00:00', 4))
    const overwriting = [{ station: 1001, time: MORNING, values: { strain: 9 } }]
    await place.ingest('theme', key, { records: overwriting })
    const again = await enter(record(MORNING, 2))
    await place.storage.changes.undo(again.change, { limit: 9, now: NOW })
    const afterUndo = await enter(record(MORNING, 2))

    assert.deepEqual(sent, [
      { accepted: 3, replaced: 0, rejected: [], change: 1 },
      { accepted: 3, replaced: 3, rejected: [], change: 1 },
    ])
    assert.deepEqual([mixed.accepted, mixed.replaced, mixed.change], [4, 3, 2])
    assert.deepEqual([again.change, afterUndo.change], [3, 4])
    assert.equal((await dataOf(place)).at(-1)!['strain'], 2)
    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ values, change, undone }: any) => [values.strain, change, undone]),
      [
        [4, 2, false],
        [3, 1, false],
        [2, 4, false],
        [2, 3, true],
        [2, 1, false],
        [1, 1, false],
      ],
    )
  })

  test('may have a quality, for all values or by item', async () => {
    await using place = await service()
    const one = { ...record(MORNING, 1), quality: 'bad: frozen gauge' }
    const other = {
      time: '2026-03-01 09:00:00',
      values: { strain: 2, temperature: 3 },
      quality: { temperature: 'uncertain' },
    }
    const wrong = { ...record(MORNING, 1), quality: 'frozen' }

    const { rejected } = (
      await call(place, '1001/readings', { body: { records: [one, other, wrong] } })
    ).json()

    assert.match(rejected[0].message, /quality is "frozen", expected good/)
    assert.deepEqual(await dataOf(place), [
      { strain: 2, temperature: 3, time: '2026-03-01 09:00:00' },
    ])
    const { readings } = (await call(place, '1001/readings')).json()
    assert.deepEqual(
      readings.map(({ values, quality }: any) => [values.strain, quality]),
      [
        [2, { temperature: 'uncertain' }],
        [1, { strain: 'bad: frozen gauge' }],
      ],
    )
  })

  test('returns odd keys as they were sent', async () => {
    await using place = await service()
    const values = JSON.parse('{"__proto__":1,"constructor":2}') as object
    const body = { records: [{ time: MORNING, values }] }

    const response = await call(place, '2002/readings', { body })

    assert.equal(response.json().accepted, 1, response.text)
    const { text } = await call(place, '2002/readings')
    assert.ok(text.includes('"values":{"__proto__":1,"constructor":2}'), text)
  })

  test('a body of another form is refused whole, with the member that is wrong', async () => {
    await using place = await service()
    const bodies: [body: object, member: RegExp][] = [
      [{}, /"records" is missing/],
      [{ records: [] }, /"records"/],
      [{ records: [{ time: MORNING }] }, /"records\[0\]"/],
      [{ records: [record(MORNING, 1), { ...record(MORNING, 1), note: 5 }] }, /"records\[1\]"/],
      [{ records: [record(MORNING, 1)], author: '' }, /"author"/],
    ]

    for (const [body, member] of bodies) {
      const response = await call(place, '1001/readings', { body })

      assert.deepEqual([response.status, response.json().name], [400, 'FindError'])
      assert.match(response.json().message, member)
    }
    assert.deepEqual((await call(place, '1001/readings')).json().readings, [])
  })

  test('401, then 404, then 403, and nothing is stored', async () => {
    await using place = await service()
    const body = { records: [record(MORNING, 1)] }

    const stranger = await place.call('/manage/v1/stations/1001/readings', { method: 'POST' })
    const nowhere = await call(place, '999/readings', { userId: 2, body })
    const foreign = await call(place, '1001/readings', { userId: 2, body })

    assert.deepEqual(
      [stranger, nowhere, foreign].map(({ status }) => status),
      [401, 404, 403],
    )
    assert.deepEqual((await call(place, '1001/readings')).json().readings, [])
  })
})

describe('listReadings', () => {
  test('returns the newest ones up to the limit within both ends', async () => {
    await using place = await service()
    const times = [8, 9, 10, 11].map((hour) => `2026-03-01 ${String(hour).padStart(2, '0')}:00:00`)
    const records = times.map((time, at) => record(time, at))
    await call(place, '1001/readings', { body: { records } })
    const timesOf = async (query: string): Promise<string[]> =>
      (await call(place, `1001/readings?${query}`)).json().readings.map(({ time }: any) => time)

    const within = await timesOf(`startTime=${times[1]}&endTime=${times[2]}`)
    const newest = await timesOf('limit=1')
    const until = await timesOf(`endTime=${times[0]}`)

    assert.deepEqual(within, [times[2], times[1]])
    assert.deepEqual(newest, [times[3]])
    assert.deepEqual(until, [times[0]])
  })

  test('refuses an invalid window, and stations without access', async () => {
    await using place = await service()

    const turned = 'startTime=2026-03-02 00:00:00&endTime=2026-03-01 00:00:00'
    const statuses = [
      await call(place, `1001/readings?${turned}`),
      await call(place, '1001/readings?startTime=2026-02-30 00:00:00'),
      await call(place, '999/readings'),
      await call(place, '1001/readings', { userId: 2 }),
    ].map(({ status }) => status)

    assert.deepEqual(statuses, [400, 400, 404, 403])
  })
})
