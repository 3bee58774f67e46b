import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ODD_KEYS, SITE } from '../_site.ts'
import { withService } from '../_service.ts'
import { NOON, readRecords, send } from './_ingest.ts'

const theme = (station: unknown, time: unknown, values: unknown) => ({ station, time, values })

/** Why a record is not stored, by the clock of the test that sends it. */
const distant = (time: string) =>
  `time ${time} is more than one day ahead of the service's clock (2026-03-01 12:00:00)`

describe('ingestTheme', () => {
  test('a value is stored unrounded, as the same double in its shortest form', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const body = `{"records":[{"station":1001,"time":"${NOON}","values":{"strain":-478.38300000000004,"temperature":1e-7}}]}`

    const response = await send(service, 'theme', key, { body })

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    const [record] = await readRecords(service, 1001)
    assert.deepEqual(record, { strain: -478.38300000000004, temperature: 1e-7, time: NOON })
  })

  test('valid records are stored, and each rejected one is named with its place and reason', async () => {
    const now = Date.UTC(2026, 2, 1, 4)
    await using service = await withService({ site: SITE, now: () => now })
    const key = await service.createKey()
    const at = (time: unknown) => theme(1001, time, { strain: 1 })
    const of = (values: unknown) => theme(1001, NOON, values)
    const time =
      'time must be a local date and time YYYY-MM-DD HH:mm:ss, an ISO 8601 instant or epoch milliseconds'
    const cases: [unknown, string | undefined][] = [
      [of({ strain: 1 }), undefined],
      [theme(99, NOON, { strain: 1 }), 'station 99 is not known'],
      [theme('1001', NOON, { strain: 1 }), 'station "1001" is not known'],
      [theme(undefined, NOON, {}), 'station nothing is not known'],
      [null, 'a record must be {station, time, values}'],
      [7, 'a record must be {station, time, values}'],
      [[], 'a record must be {station, time, values}'],
      [at('yesterday'), time],
      [at('2026-02-30 12:00:00'), time],
      [at('2026-03-01 24:00:00'), time],
      [at(1.5), time],
      [at(null), time],
      [at('2026-03-02 12:00:00'), undefined],
      [at('2026-03-02 12:00:00.001'), distant('2026-03-02 12:00:00')],
      [at('2099-01-01 00:00:00'), distant('2099-01-01 00:00:00')],
      [of({ stress: 1 }), 'station 1001 has no item "stress"'],
      [of({ strain: 1, __proto: 1 }), 'station 1001 has no item "__proto"'],
      [of({ strain: '1' }), 'value of "strain" must be a number, not "1"'],
      [of({ strain: true }), 'value of "strain" must be a number, not true'],
      [
        of({ strain: 2 ** 53 }),
        'value of "strain" is an integer that a double cannot hold exactly',
      ],
      [of({}), 'values is empty'],
      [of({ strain: null }), 'values is empty'],
      [of([1]), 'values must be an object of item key to number'],
      [of(undefined), 'values must be an object of item key to number'],
      [theme(1002, NOON, { strain: null, temperature: 20 }), undefined],
    ]

    const response = await service.ingest('theme', key, {
      records: cases.map(([record]) => record),
    })

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), {
      accepted: 3,
      replaced: 0,
      rejected: cases.flatMap(([, message], index) =>
        message === undefined ? [] : [{ index, message }],
      ),
    })
    assert.deepEqual(await readRecords(service, 1002), [{ temperature: 20, time: NOON }])
  })

  test('a number too large for a double is not finite', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const body = `{"records":[{"station":1001,"time":"${NOON}","values":{"strain":1e999}}]}`

    const response = await send(service, 'theme', key, { body })

    assert.deepEqual(response.json().rejected, [
      { index: 0, message: 'value of "strain" is not finite' },
    ])
  })

  test('records of an instant are merged by key, within and across record batches', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const first = await service.ingest('theme', key, {
      records: [
        theme(1001, NOON, { strain: 1, temperature: 20 }),
        theme(1001, '2026-03-01T05:00:00+01:00', { strain: 2 }),
        theme(1002, NOON, { strain: 9 }),
      ],
    })
    const second = await service.ingest('theme', key, {
      records: [theme(1001, Date.UTC(2026, 2, 1, 4), { strain: null, temperature: 21 })],
    })

    // A record that meets one of its own batch only has met no stored one.
    assert.deepEqual(first.json(), { accepted: 3, replaced: 0, rejected: [] })
    assert.deepEqual(second.json(), { accepted: 1, replaced: 1, rejected: [] })
    assert.deepEqual(await readRecords(service, 1001), [{ strain: 2, temperature: 21, time: NOON }])
  })

  test('replace=whole leaves nothing of the stored record', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    await service.ingest('theme', key, {
      records: [theme(1001, NOON, { strain: 1, temperature: 20 })],
    })

    const whole = await service.ingest('theme?replace=whole', key, {
      records: [theme(1001, NOON, { temperature: 21 })],
    })
    const refused = await service.ingest('theme?replace=all', key, { records: [] })

    assert.deepEqual(whole.json(), { accepted: 1, replaced: 1, rejected: [] })
    assert.deepEqual(await readRecords(service, 1001), [{ temperature: 21, time: NOON }])
    assert.equal(refused.status, 400)
    assert.match(refused.text, /the parameter \\?"replace\\?" must be keys or whole/)
  })

  test('local text, an instant with offset and epoch milliseconds name the same moment', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const times = [
      '2026-03-01 12:00:00',
      '2026-03-01T12:00:00',
      '2026-03-01T04:00:00Z',
      '2026-03-01T05:00:00.000+01:00',
      '2026-02-28T23:00:00-0500',
      Date.UTC(2026, 2, 1, 4),
    ]

    const response = await service.ingest('theme', key, {
      records: times.map((time) => theme(1001, time, { strain: 1 })),
    })

    assert.deepEqual(response.json(), { accepted: 6, replaced: 0, rejected: [] })
    assert.deepEqual(await readRecords(service, 1001), [{ strain: 1, time: NOON }])
  })

  test('milliseconds tell records apart, and are cut where the time is served', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    await service.ingest('theme', key, {
      records: [
        theme(1001, `${NOON}.500`, { strain: 2 }),
        theme(1001, `${NOON}.999`, { strain: 3 }),
        theme(1001, NOON, { strain: 1 }),
      ],
    })

    const records = await readRecords(service, 1001)
    assert.deepEqual(
      records.map(({ strain, time }) => [strain, time]),
      [
        [3, NOON],
        [2, NOON],
        [1, NOON],
      ],
    )
  })

  test('item keys may be names of Object.prototype, with quotes, in any language', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const pairs = ODD_KEYS.map((name, index) => `${JSON.stringify(name)}:${index + 1}`).join(',')
    const body = `{"records":[{"station":2002,"time":"${NOON}","values":{${pairs}}}]}`

    const response = await send(service, 'theme', key, { body })

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    const token = await service.issueToken()
    const read = await service.get('/stations/theme/data?stations=2002&limit=1', token)
    assert.ok(read.text.includes(`"data":[{${pairs},"time":"${NOON}"}]`), read.text)
    const names = [...read.text.matchAll(/("(?:[^"\\]|\\.)*"):\{"name"/g)].map(([, one]) =>
      JSON.parse(one!),
    )
    assert.deepEqual(names, ['items', ...ODD_KEYS].slice(1))
  })

  test('a key of Object.prototype that is no item is rejected', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const bodies = ['__proto__', 'constructor', 'toString'].map(
      (name) => `{"station":1001,"time":"${NOON}","values":{"strain":1,"${name}":1}}`,
    )

    const response = await send(service, 'theme', key, {
      body: `{"records":[${bodies.join(',')}]}`,
    })

    assert.deepEqual(
      response.json().rejected.map(({ message }: any) => message),
      [
        'station 1001 has no item "__proto__"',
        'station 1001 has no item "constructor"',
        'station 1001 has no item "toString"',
      ],
    )
  })
})
