import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileWaveformMapping } from './waveform-mapping.ts'

const MAPPING = { format: 'waveform', channels: [{ channel: 1, station: 7 }] } as const

test('a start without an offset has that of the mapping, a start with an offset keeps it', () => {
  const starts = ['2024-03-01 12:00:00.25', '2024-03-01T12:00:00Z', '2024-03-01 12:00:00-05:00']

  const times = starts.map(
    (start) =>
      compileWaveformMapping({ ...MAPPING, channels: [], start, offset: '+02:00' }).collectTime,
  )

  assert.deepEqual(times, [`${starts[0]}+02:00`, starts[1], starts[2]])
})

test('options that are left out stay undefined', () => {
  const { format, zone, options } = compileWaveformMapping({ ...MAPPING, channels: [] })

  assert.deepEqual([format, zone, options], [undefined, undefined, { csv: {} }])
})

test('options of a CSV file are compiled from their names', () => {
  const { options } = compileWaveformMapping({
    ...MAPPING,
    channels: [],
    gapTolerance: 1,
    sampleFreq: 50,
    csv: { delimiter: 'blanks', decimalComma: true, time: { column: 1, kind: 'seconds' } },
  })

  assert.deepEqual(options, {
    miniSeed: { gapTolerance: 1 },
    csv: {
      delimiter: ' ',
      decimal: ',',
      sampleHz: 50,
      time: { column: 1, kind: 'seconds' },
    },
  })
})
