import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TopicSettings } from '../../config/mqtt-settings.ts'
import { isObject } from '../../json/is-object.ts'
import { compileMapping } from './payload-mapping.ts'

const LIMITS = { depth: 32, members: 3_000_000 }

/** The quality of each record of a message, or why it is rejected; `undefined` where nothing is said. */
async function read(settings: Omit<TopicSettings, 'topic'>, payload: unknown): Promise<unknown[]> {
  const mapping = compileMapping({ topic: 'site/{sensor}/{key}', ...settings }, LIMITS)
  const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const found = await mapping.read({ topic: 'site/S/k', payload: bytes, receivedAt: 1 })
  if (found === undefined || 'problem' in found) throw new Error(found?.problem)
  return found.records.map((one) => {
    if ('problem' in one) return one.problem
    if ('isEmpty' in one) return one
    const { quality } = one.record
    return isObject(quality) ? Object.entries(quality) : quality
  })
}

const refusalOf = (settings: Omit<TopicSettings, 'topic'>): string => {
  try {
    compileMapping({ topic: 'site/{sensor}/{key}', ...settings }, LIMITS)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('the quality of a message', () => {
  test('is beside the values of the presets with values, and as it was sent', async () => {
    const values = { t: 21 }
    for (const [quality, expected] of [
      [undefined, undefined],
      ['bad: cable cut', 'bad: cable cut'],
      [2_156_658_688, 2_156_658_688],
      [
        { t: 'uncertain', x: null },
        [
          ['t', 'uncertain'],
          ['x', null],
        ],
      ],
      ['sort of', 'sort of'],
      [['bad'], ['bad']],
    ] as const) {
      const records = [{ ts: 1, values, quality }]
      const [found] = await read({ preset: 'tsValues' }, records)
      assert.deepEqual(found, expected)
      const [same] = await read(
        { preset: 'sensorTimeValues' },
        { sensor: 'S', time: 1, values, quality },
      )
      assert.deepEqual(same, found)
    }
  })

  test('is that of one value, at a path', async () => {
    const settings = { preset: 'valuePerTopic', value: '@.v', quality: '@.q' } as const

    assert.deepEqual(await read(settings, { v: 1, q: 'Bad' }), ['Bad'])
    assert.deepEqual(await read(settings, { v: 1 }), [undefined])
    assert.deepEqual(await read({ preset: 'valuePerTopic' }, '21.5'), [undefined])
  })

  test('has the item keys of the settings, and skips what they skip', async () => {
    const settings = {
      preset: 'tsValues',
      quality: '$.status',
      records: '$.list[*]',
      items: { T1: 'temperature', battery: '' },
    } as const

    const found = await read(settings, {
      status: { T1: 'bad', battery: 'low', __proto__x: 'good' },
      list: [
        { ts: 1, values: { T1: 1 } },
        { ts: 2, values: { T1: 2 } },
      ],
    })

    const expected = [
      ['temperature', 'bad'],
      ['__proto__x', 'good'],
    ]
    assert.deepEqual(found, [expected, expected])
  })

  test('is at a path for each item', async () => {
    const settings = {
      sensor: '{sensor}',
      fields: { t: '@.t.v', f: '@.f.v' },
      qualities: { t: '@.t.q', f: '@.f.q' },
    }

    assert.deepEqual(await read(settings, { t: { v: 1, q: 'uncertain' }, f: { v: 2 } }), [
      [['t', 'uncertain']],
    ])
    assert.deepEqual(await read(settings, { t: { v: 1 }, f: { v: 2 } }), [undefined])
  })

  test('may be a flag whose meaning the settings have; other flags reject the record', async () => {
    const settings = {
      preset: 'tsValues',
      quality: '@.valid',
      flags: { true: 'good', false: 'bad: not valid', 0: 'good', 4: 'bad', S: 'uncertain' },
    } as const
    const records = [true, false, 0, 4, 'S,4', null, undefined, 7, { t: 4, u: 0 }, { t: [4] }]

    const found = await read(
      settings,
      records.map((valid, ts) => ({ ts, values: { t: 1 }, valid })),
    )

    assert.deepEqual(found, [
      undefined,
      'bad: not valid',
      undefined,
      'bad',
      'bad',
      undefined,
      undefined,
      'the flag "7" is not among the flags of the settings',
      [['t', 'bad']],
      'a flag must be a text, a number or a boolean, not [4]',
    ])
    const open = { ...settings, otherwise: 'bad: unknown status' }
    assert.deepEqual(await read(open, { ts: 1, values: { t: 1 }, valid: 7 }), [
      'bad: unknown status',
    ])
  })
})

test('settings of qualities that contradict each other are refused', () => {
  const parts = { sensor: '{sensor}', values: '@.values' }
  for (const [settings, words] of [
    [{ ...parts, quality: '@.q', qualities: { t: '@.q' } }, 'by quality or qualities'],
    [{ ...parts, flags: { 0: 'good' } }, 'flags has no meaning without quality or qualities'],
    [{ ...parts, otherwise: 'bad' }, 'otherwise has no meaning without quality or qualities'],
    [{ ...parts, quality: '@.q', otherwise: 'bad' }, 'otherwise has no meaning without flags'],
    [{ ...parts, quality: '@.q', flags: { 0: 'ok' } }, 'the quality of flag "0" is "ok", expected'],
    [{ ...parts, quality: '@.q[*]' }, 'must lead to one value'],
    [{ ...parts, qualities: { t: '{level}' } }, 'names {level}, which is no level of the topic'],
  ] as const)
    assert.ok(refusalOf(settings).includes(words), `${words}: ${refusalOf(settings)}`)
  assert.equal(refusalOf({ preset: 'tsValues', qualities: { t: '@.q' } }), '')
  assert.equal(refusalOf({ preset: 'tsValues', flags: { 0: 'good' } }), '')
})
