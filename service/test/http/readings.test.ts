import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, MORNING, NOW, record, service } from './_readings.ts'

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
