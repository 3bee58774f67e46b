import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { TopicSettings } from '../../config/mqtt-settings.ts'
import { ValuesInUnits } from '../records/values-in-units.ts'
import type { TimeUnit } from './message-time.ts'
import { compileMapping } from './payload-mapping.ts'

const ARRIVAL = 1_772_362_800_000
const LIMITS = { depth: 32, members: 3_000_000 }

/** The records of a payload; values as entries, since a key may be anything. */
async function read(settings: TopicSettings, topic: string, payload: unknown) {
  const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const mapping = compileMapping(settings, LIMITS)
  const result = await mapping.read({ topic, payload: bytes, receivedAt: ARRIVAL })
  if (result === undefined || 'problem' in result) return result
  return result.records.map((one) =>
    'problem' in one || 'isEmpty' in one
      ? one
      : { ...one.record, values: Object.entries(one.record.values as Record<string, unknown>) },
  )
}

/** The time that is read from a record, sent in a unit. */
const at = async (time: unknown, timeUnit?: TimeUnit) =>
  (
    (await read({ topic: 't', preset: 'sensorTimeValues', ...(timeUnit && { timeUnit }) }, 't', {
      sensor: 'S',
      time,
      values: {},
    })) as { time: unknown }[]
  )[0]!.time
/** The values of a message under `s/S/k`. */
const valuesOf = async (one: TopicSettings, text: string) =>
  ((await read(one, 's/S/k', text)) as { values: unknown[] }[])[0]!.values
/** The problem of a payload that cannot be read. */
const problem = (payload: Buffer | string) =>
  compileMapping({ topic: 'a/{sensor}', preset: 'tsValues' }, LIMITS).read({
    topic: 'a/S',
    payload: Buffer.from(payload),
    receivedAt: ARRIVAL,
  })

test('units of the settings go with the values of every record', async () => {
  const settings = { topic: 's/{sensor}', preset: 'tsValues', units: { t: '°F' } } as const
  const mapping = compileMapping(settings, LIMITS)
  const payload = Buffer.from('{"ts":1,"values":{"t":212}}')

  const read = await mapping.read({ topic: 's/S', payload, receivedAt: ARRIVAL })

  assert.ok(read !== undefined && 'records' in read)
  const [one] = read.records
  assert.ok(one !== undefined && 'record' in one && one.record.values instanceof ValuesInUnits)
  assert.deepEqual([...one.record.values.units], [['t', '°F']])
  assert.deepEqual({ ...Object(one.record.values.values) }, { t: 212 })
})

describe('presets', () => {
  test('tsValues reads {ts, values} and lists of it, the sensor from the topic', async () => {
    const settings = { topic: 'v1/{sensor}/telemetry', preset: 'tsValues' } as const
    const first = { ts: 1000, values: { frequency: 1600.5, temperature: 21 } }

    assert.deepEqual(await read(settings, 'v1/S1/telemetry', first), [
      { sensor: 'S1', time: 1000, values: Object.entries(first.values) },
    ])
    assert.deepEqual(
      await read(settings, 'v1/S1/telemetry', [first, { ts: 2000, values: { a: 1 } }]),
      [
        { sensor: 'S1', time: 1000, values: Object.entries(first.values) },
        { sensor: 'S1', time: 2000, values: [['a', 1]] },
      ],
    )
  })

  test('valuePerTopic reads bare numbers, also those that are not JSON, with the time of arrival', async () => {
    const settings = { topic: 'site/{sensor}/{key}', preset: 'valuePerTopic' } as const

    for (const [payload, value] of [
      ['21.5', 21.5],
      ['"21.5"', 21.5],
      [' +21.50 \n', 21.5],
      ['.5', 0.5],
      ['-1e-3', -0.001],
      ['on', 'on'],
      ['21,5', '21,5'],
      ['true', true],
    ] as const)
      assert.deepEqual(await read(settings, 'site/S1/temperature', payload), [
        { sensor: 'S1', time: ARRIVAL, values: [['temperature', value]] },
      ])
    assert.equal(compileMapping(settings, LIMITS).replace, 'keys')
    assert.equal(compileMapping(settings, LIMITS).hasArrivalTime, true)
  })

  test('sensorTimeValues reads everything from the payload', async () => {
    const settings = { topic: '#', preset: 'sensorTimeValues' } as const
    const record = { sensor: 'S1', time: '2026-03-01 12:00:00', values: { a: null } }

    assert.deepEqual(await read(settings, 'any/topic', record), [
      { sensor: 'S1', time: '2026-03-01 12:00:00', values: [['a', null]] },
    ])
    const whole = compileMapping({ ...settings, replace: 'whole' }, LIMITS)
    assert.equal(whole.replace, 'whole')
  })

  test('settings beside a preset replace those of the preset', async () => {
    assert.deepEqual(
      await read(
        { topic: 's/{sensor}/{key}', preset: 'valuePerTopic', value: '@.value', time: '@.ts' },
        's/S1/t',
        { value: 7, ts: 5 },
      ),
      [{ sensor: 'S1', time: 5, values: [['t', 7]] }],
    )
    assert.deepEqual(
      await read({ topic: 's/{sensor}', preset: 'tsValues', fields: { t: '@.temp' } }, 's/S1', {
        ts: 5,
        temp: 8,
      }),
      [{ sensor: 'S1', time: 5, values: [['t', 8]] }],
    )
  })
})

describe('own mappings', () => {
  test('records of a batch lie where records says, and see the whole message', async () => {
    const settings: TopicSettings = {
      topic: '{site}/up',
      records: '$.readings[*]',
      sensor: '{site}-x',
      time: '$.head.t',
      timeUnit: 'seconds',
      fields: { a: '@.v[0]', b: "$['the b']" },
    }

    const found = await read(settings, 'north/up', {
      head: { t: 12.345 },
      'the b': '2.5',
      readings: [{ v: [1] }, { v: [] }],
    })

    assert.deepEqual(found, [
      {
        sensor: 'north-x',
        time: 12_345,
        values: [
          ['a', 1],
          ['b', 2.5],
        ],
      },
      { sensor: 'north-x', time: 12_345, values: [['b', 2.5]] },
    ])
  })

  test('one bad record of several is named, the others are read', async () => {
    const settings = { topic: '#', preset: 'sensorTimeValues' } as const
    const good = { sensor: 'S', time: 1, values: { a: 1 } }

    const found = await read(settings, 't', [
      good,
      { time: 1, values: {} },
      5,
      { ...good, values: 3 },
      { sensor: 'S', values: {} },
      good,
    ])

    assert.deepEqual(found, [
      { ...good, values: [['a', 1]] },
      { problem: '"@.sensor" must hold the sensor, not nothing' },
      { problem: '"@.sensor" must hold the sensor, not nothing' },
      { problem: '"@.values" must hold an object of values, not 3' },
      { problem: '"@.time" must hold the time, but there is nothing' },
      { ...good, values: [['a', 1]] },
    ])
  })

  test('aliases of sensors and items apply; an item with an empty alias is left out', async () => {
    const settings: TopicSettings = {
      topic: 't',
      preset: 'sensorTimeValues',
      sensors: { '17': 'uuid-17', constructor: 'uuid-c' },
      items: { temp: 'temperature', rssi: '', __proto__x: 'y' },
    }
    const values = { temp: 1, rssi: -70, other: 2 }

    assert.deepEqual(
      await read(settings, 't', [
        { sensor: 17, time: 1, values },
        { sensor: 'constructor', time: 1, values: { toString: 1 } },
      ]),
      [
        {
          sensor: 'uuid-17',
          time: 1,
          values: [
            ['temperature', 1],
            ['other', 2],
          ],
        },
        { sensor: 'uuid-c', time: 1, values: [['toString', 1]] },
      ],
    )
  })

  test('keys such as __proto__ are data', async () => {
    const payload = '{"sensor":"S","time":1,"values":{"__proto__":1,"constructor":2}}'

    assert.deepEqual(await read({ topic: 't', preset: 'sensorTimeValues' }, 't', payload), [
      {
        sensor: 'S',
        time: 1,
        values: [
          ['__proto__', 1],
          ['constructor', 2],
        ],
      },
    ])
  })

  test('true and false are numbers only where that is set', async () => {
    const settings = { topic: 's/{sensor}/{key}', preset: 'valuePerTopic' } as const
    assert.deepEqual(await valuesOf(settings, 'false'), [['k', false]])
    assert.deepEqual(await valuesOf({ ...settings, booleans: 'numbers' }, 'true'), [['k', 1]])
    assert.deepEqual(await valuesOf({ ...settings, booleans: 'numbers' }, 'false'), [['k', 0]])
  })

  test('times of every unit become the same millisecond; other texts stay as they are', async () => {
    const instant = fc.integer({ min: 0, max: 4_000_000_000_000 })
    await fc.assert(
      fc.asyncProperty(instant, async (ms) => {
        assert.equal(await at(ms), ms)
        assert.equal(await at(String(ms), 'milliseconds'), ms)
        assert.equal(await at(ms / 1000, 'seconds'), ms)
        assert.equal(await at((ms / 1000).toFixed(3), 'seconds'), ms)
        assert.equal(await at(ms * 1000, 'microseconds'), ms)
        assert.equal(await at(`${ms}000000`, 'nanoseconds'), ms)
        assert.equal(await at(new Date(ms).toISOString(), 'seconds'), new Date(ms).toISOString())
      }),
    )
  })
})

describe('messages that cannot be read', () => {
  const settings = { topic: 'a/{sensor}', preset: 'tsValues' } as const

  test('are named with what is wrong', async () => {
    assert.deepEqual(await problem(Buffer.from([0xff, 0xfe])), {
      problem: 'the payload is not UTF-8 text',
    })
    assert.match(JSON.stringify(await problem('{"ts":')), /the payload is not JSON: .+/)
    assert.deepEqual(await problem('[]'), { problem: 'the message holds no record at "$"' })
  })

  test('never make the mapping fail', async () => {
    const mapping = compileMapping(settings, LIMITS)
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (payload) => {
        const found = await mapping.read({ topic: 'a/S', payload, receivedAt: ARRIVAL })

        assert.ok(found !== undefined && ('problem' in found || found.records.length > 0))
      }),
    )
  })

  test('a topic that does not match has no records', async () => {
    assert.equal(await read(settings, 'b/S', '{}'), undefined)
  })
})

test('contradictory or incomplete settings are refused with the reason', async () => {
  for (const [settings, reason] of [
    [{ topic: 't' }, 'set preset or sensor'],
    [{ topic: 't', sensor: 'S' }, 'one of values, fields, or key with value'],
    [{ topic: 't', sensor: 'S', values: '@', key: 'k', value: '@' }, 'one of values, fields'],
    [{ topic: 't', sensor: 'S', key: 'k' }, 'key with value'],
    [{ topic: 't', preset: 'tsValues' }, 'names {sensor}, which is no level of the topic'],
    [{ topic: 't', sensor: '$.a[*]', values: '@' }, 'must lead to one value'],
    [{ topic: 't', sensor: 'S', values: '@', records: '$.a[' }, 'at position 5'],
    [{ topic: 't/#/x', preset: 'sensorTimeValues' }, 'level 2 "#"'],
  ] as [TopicSettings, string][])
    assert.throws(
      () => compileMapping(settings, LIMITS),
      (error: Error) => error.name === 'RefusedError' && error.message.includes(reason),
      reason,
    )
})

const ignoringEmpty = (settings: TopicSettings, payload: unknown) =>
  read({ ...settings, empty: 'ignore' }, 's/S/k', payload)

describe('records without a value', () => {
  const values: TopicSettings = { topic: 's/{sensor}/+', sensor: '{sensor}', values: '@.values' }
  const fields: TopicSettings = {
    topic: 's/{sensor}/+',
    sensor: '{sensor}',
    fields: { t: '@.object.t' },
  }
  const pair: TopicSettings = {
    topic: 's/{sensor}/{key}',
    sensor: '{sensor}',
    key: '{key}',
    value: '@.v',
  }

  test('are ignored where the topic says so, beside others in their order', async () => {
    const none = [{ isEmpty: true }]

    assert.deepEqual(await ignoringEmpty(values, {}), none)
    assert.deepEqual(await ignoringEmpty(values, { values: null }), none)
    assert.deepEqual(await ignoringEmpty(values, { values: {} }), none)
    assert.deepEqual(await ignoringEmpty(fields, { object: { battery: 3 } }), none)
    assert.deepEqual(await ignoringEmpty(pair, {}), none)
    const list = await ignoringEmpty({ ...fields, records: '$[*]' }, [{}, { object: { t: 1 } }])
    assert.deepEqual(
      (list as { values?: unknown }[]).map((one) => one.values),
      [undefined, [['t', 1]]],
    )
  })

  test('of another form are still problems', async () => {
    const [one] = (await ignoringEmpty(values, { values: 7 })) as { problem: string }[]

    assert.equal(one?.problem, '"@.values" must hold an object of values, not 7')
  })

  test('are problems without the setting', async () => {
    const [one] = (await read(values, 's/S/k', {})) as { problem: string }[]

    assert.match(one!.problem, /must hold an object of values/)
  })
})
