import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Waveform } from '../../domain/waveforms/waveform.ts'
import { assignChannels } from './assign-channels.ts'

const START = { milliseconds: Date.UTC(2024, 2, 1), nanoseconds: 5 }

const wave = (channel: string, parts: Partial<Waveform> = {}): Waveform => ({
  channel,
  start: START,
  sampleHz: 100,
  unit: 'g',
  samples: Int32Array.of(1, -2),
  ...parts,
})

describe('a channel', () => {
  test('is found by a name that is a number before its position', () => {
    const { planned } = assignChannels([wave('2'), wave('b')], {
      channels: [{ channel: 2, station: 7 }],
    })

    assert.deepEqual(
      planned.map(({ channel, station, collectTime }) => [channel, station, collectTime]),
      [['2', 7, '2024-03-01T00:00:00.000000005Z']],
    )
  })

  test('is multiplied by its scale and has the unit of its target', () => {
    const { planned, unmapped } = assignChannels([wave('a', { unit: 'counts' }), wave('b')], {
      channels: [{ channel: 'a', station: 7, scale: 0.5, unit: 'm/s²' }],
    })

    assert.deepEqual([...planned[0]!.samples], [0.5, -1])
    assert.equal(planned[0]!.unit, 'm/s²')
    assert.deepEqual(unmapped, ['b'])
  })

  test('has its own unit rather than that of the plan', () => {
    const { planned } = assignChannels([wave('a', { unit: '' }), wave('b', { unit: '' })], {
      channels: [
        { channel: 'a', station: 7, unit: 'kN' },
        { channel: 'b', station: 8 },
      ],
      unit: 'g',
    })

    assert.deepEqual(
      planned.map(({ unit }) => unit),
      ['kN', 'g'],
    )
  })

  test('with several waveforms goes to its station with all of them', () => {
    const later = { start: { ...START, nanoseconds: 6 } }

    const { planned } = assignChannels([wave('a'), wave('a', later)], {
      channels: [],
      only: { station: 7 },
    })

    assert.equal(planned.length, 2)
  })
})
