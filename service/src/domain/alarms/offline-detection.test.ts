import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { DeviceCause } from './alarm-types.ts'
import { evaluateDevices, type DeviceSigns, type MonitoredDevice } from './offline-detection.ts'

const MINUTE = 60_000

const device = (
  id: string,
  deviceKind: MonitoredDevice['deviceKind'],
  parent: string | null,
  minutes: number | null = 10,
): MonitoredDevice => {
  return {
    id,
    name: id,
    deviceKind,
    parent,
    intervalSeconds: minutes === null ? null : minutes * 60,
  }
}

/** gateway G over DTU D over sensors A and B, and a node N below the gateway. */
const TREE = [
  device('G', 'gateway', null),
  device('D', 'dtu', 'G'),
  device('A', 'sensor', 'D'),
  device('B', 'sensor', 'D'),
  device('N', 'node', 'G'),
]

type Signs = Record<string, number | { good?: number; error: number; text?: string }>

/** The transitions at a minute, as `raise A silence`; signs are minutes of the last contact. */
function look(
  signs: Signs,
  minute: number,
  {
    open = [],
    tree = TREE,
    since = -10_000,
  }: { open?: string[]; tree?: MonitoredDevice[]; since?: number } = {},
) {
  const signsOf = (id: string): DeviceSigns | undefined => {
    const sign = signs[id]
    if (sign === undefined) return undefined
    if (typeof sign === 'number') return { goodAt: sign * MINUTE, errorAt: null, error: null }
    const { good, error, text = null } = sign
    return {
      goodAt: good === undefined ? null : good * MINUTE,
      errorAt: error * MINUTE,
      error: text,
    }
  }
  const isOpen = (id: string, cause: DeviceCause) => open.includes(`${id} ${cause}`)
  const settings = { offlineAfter: 3, listeningSince: since * MINUTE }
  return evaluateDevices(tree, signsOf, isOpen, minute * MINUTE, settings)
}

const told = (...args: Parameters<typeof look>) =>
  look(...args).map(({ change, device, cause }) => `${change} ${device} ${cause}`)

describe('a device', () => {
  test('is silent after more than so many of its own intervals', () => {
    const tree = [device('A', 'sensor', null, 10), device('B', 'sensor', null, 60)]

    assert.deepEqual(told({ A: 0, B: 0 }, 30, { tree }), [])
    assert.deepEqual(told({ A: 0, B: 0 }, 31, { tree }), ['raise A silence'])
    assert.deepEqual(told({ A: 0, B: 0 }, 181, { tree, open: ['A silence'] }), ['raise B silence'])
  })

  test('without an interval is never silent', () => {
    assert.deepEqual(told({}, 1e6, { tree: [device('A', 'sensor', null, null)] }), [])
  })

  test('that was never heard is silent since the service listens', () => {
    const tree = [device('A', 'sensor', null)]

    assert.deepEqual(told({}, 130, { tree, since: 100 }), [])
    assert.deepEqual(told({}, 131, { tree, since: 100 }), ['raise A silence'])
  })

  test('is raised once and cleared by contact', () => {
    const tree = [device('A', 'sensor', null)]

    assert.deepEqual(told({ A: 0 }, 40, { tree, open: ['A silence'] }), [])
    assert.deepEqual(told({ A: 39 }, 40, { tree, open: ['A silence'] }), ['clear A silence'])
  })

  test('has the type, category and kind of source of its own kind', () => {
    const tree = TREE.map((one) => ({ ...one, parent: null }))

    const raised = look({}, 0, { tree }).map(({ device, type }) => {
      return [device, type.code, type.category, type.sourceType]
    })

    assert.deepEqual(raised, [
      ['G', '5001', 4, 0],
      ['D', '2001', 2, 0],
      ['A', '3006', 3, 1],
      ['B', '3006', 3, 1],
      ['N', '6002', 5, 1],
    ])
  })
})

describe('a tree of devices', () => {
  test('alarms the highest dead device alone, and says how many are below it', () => {
    const [raised, ...others] = look({ G: 0, D: 0, A: 0, B: 0, N: 0 }, 31)

    assert.deepEqual(others, [])
    assert.equal(raised?.device, 'G')
    assert.equal(raised?.content, 'silent for 31 min, expected every 10 min; 4 devices below it')
  })

  test('alarms a DTU whose gateway is alive, and none of its sensors', () => {
    assert.deepEqual(told({ G: 40, D: 0, A: 0, B: 0, N: 40 }, 40), ['raise D silence'])
  })

  test('alarms a sensor whose DTU is alive', () => {
    assert.deepEqual(told({ G: 40, D: 40, A: 0, B: 40, N: 40 }, 40), ['raise A silence'])
  })

  test('takes what comes through a device as a sign of its life', () => {
    assert.deepEqual(told({ A: 40, N: 40 }, 40), ['raise B silence'])
  })

  test('waits with a quick sensor until its slow parent has told whether it is alive', () => {
    const tree = [device('D', 'dtu', null, 60), device('A', 'sensor', 'D', 1)]

    assert.deepEqual(told({ D: 0, A: 0 }, 10, { tree }), [])
    assert.deepEqual(told({ D: 60, A: 0 }, 60, { tree }), ['raise A silence'])
    assert.deepEqual(told({ D: 0, A: 0 }, 181, { tree }), ['raise D silence'])
  })

  test('looks past a parent that has no interval', () => {
    const tree = [device('D', 'dtu', null, null), device('A', 'sensor', 'D')]

    assert.deepEqual(told({ A: 0 }, 31, { tree }), ['raise A silence'])
  })

  test('keeps the alarm of a child when its parent dies, and clears it by its own contact', () => {
    const open = ['A silence']

    assert.deepEqual(told({ G: 0, D: 0, A: -100, B: 0, N: 0 }, 31, { open }), ['raise G silence'])
    assert.deepEqual(told({ A: 100, B: 100, N: 100 }, 100, { open: ['A silence', 'G silence'] }), [
      'clear G silence',
      'clear A silence',
    ])
  })

  test('survives parents in a circle and parents that are not there', () => {
    const tree = [
      device('A', 'node', 'B'),
      device('B', 'node', 'A'),
      device('C', 'sensor', 'gone'),
      device('D', 'sensor', 'A'),
    ]

    assert.deepEqual(told({ A: 0, B: 0, C: 0, D: 0 }, 31, { tree }), ['raise C silence'])
  })
})

describe('a report of an error', () => {
  const tree = [device('A', 'sensor', null)]

  test('is an alarm of its own and no silence', () => {
    const [raised, ...others] = look({ A: { good: 0, error: 39, text: 'no excitation' } }, 40, {
      tree,
    })

    assert.deepEqual(others, [])
    assert.deepEqual(
      [raised?.change, raised?.cause, raised?.type.code, raised?.content],
      ['raise', 'error', '3011', 'reports an error: no excitation'],
    )
  })

  test('ends a silence', () => {
    assert.deepEqual(told({ A: { error: 39 } }, 40, { tree, open: ['A silence'] }), [
      'clear A silence',
      'raise A error',
    ])
  })

  test('is over with the next good answer', () => {
    const open = ['A error']

    assert.deepEqual(told({ A: { good: 30, error: 39 } }, 40, { tree, open }), [])
    assert.deepEqual(told({ A: { good: 40, error: 39 } }, 40, { tree, open }), ['clear A error'])
  })
})

test('transitions that were made leave nothing to do, and no child of a raised one is raised', () => {
  const minutes = fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined })
  const signs = fc.record({ G: minutes, D: minutes, A: minutes, B: minutes, N: minutes })
  const property = fc.property(signs, fc.integer({ min: 0, max: 200 }), (signs, minute) => {
    const known = Object.fromEntries(
      Object.entries(signs).filter(([, at]) => at !== undefined && at <= minute),
    ) as Record<string, number>
    const first = look(known, minute, { since: 0 })
    const raised = first.map(({ device, cause }) => `${device} ${cause}`)

    assert.deepEqual(told(known, minute, { since: 0, open: raised }), [])
    const devices = new Set(first.map(({ device }) => device))
    for (const one of TREE) {
      assert.ok(!(devices.has(one.id) && one.parent !== null && devices.has(one.parent)))
    }
  })
  fc.assert(property)
})
