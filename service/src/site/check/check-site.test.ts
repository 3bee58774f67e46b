import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleText } from '../_sites.ts'
import { flatten } from '../file/flatten.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { check, exampleWith, GROUPED, lineOf, refusalOf } from './_examples.ts'

test('the example has no problems and no notes', () => {
  assert.deepEqual(check(exampleText), [])
})

test('an unknown factor is refused with its line and path', () => {
  const text = exampleWith('factor: 17\n', 'factor: 99\n')

  assert.equal(
    refusalOf(text).message,
    `s.yaml:${lineOf(text, 'factor: 99')}: structures[1].factors[0].factor: ` +
      'factor 99 is not in the catalogue',
  )
})

test('a structure without any time zone is refused', () => {
  const text = exampleWith('timeZone: Asia/Shanghai\n', '')

  assert.match(refusalOf(text).message, /structures\[0\]: timeZone is missing/)
})

test('one camera channel is one camera', () => {
  const text = exampleWith(
    '    cameras:\n',
    '    cameras:\n' +
      '      - { id: 2, location: A, serialNo: C30411203, type: dome, source: "rtsp://h/1" }\n',
  )

  assert.match(
    refusalOf(text).message,
    /cameras\[1\]\.serialNo: channel 1 of camera "C30411203" already exists at .*cameras\[0\]/,
  )
})

test('a station names a camera of its structure, and ONVIF is HTTP', () => {
  const text = exampleWith('camera: 21', 'camera: 5')
    .replace('onvif: http:', 'onvif: rtsp:')
    .replace(/standard: .*/, 'standard: {}')

  assert.deepEqual(refusalOf(text).message.split('\n'), [
    's.yaml:54: structures[0].factors[0].groups[0].stations[0].camera: structure 3040 has no camera 5',
    's.yaml:115: structures[0].cameras[0].standard: expected a source, a height, or both',
    's.yaml:116: structures[0].cameras[0].onvif: expected an address that begins with http:// or https://',
  ])
})

test('a source that the service cannot play is noted, since a media server may play it', () => {
  const text = exampleWith('source: rtsp://192.0.2.10/stream1', 'source: srt://192.0.2.10:9000')

  const [note] = check(text)

  assert.equal(note?.line, 114)
  assert.equal(
    note.message,
    'the service cannot play camera 21 itself: A source begins with rtsp://, rtsps://, rtmp://, rtmps://, http://, https:// or is file: and the name of a file',
  )
})

test('two batches cannot set thresholds of one station and item', () => {
  const start = exampleText.indexOf('          - batchNo')
  const batch = exampleText.slice(start, exampleText.indexOf('    devices:\n'))
  const text = exampleWith(batch, batch + batch.replace('0d8a2f4e', '1d8a2f4e'))

  assert.match(
    refusalOf(text).message,
    /thresholds\[1\]\.stations\[0\]: station 52093 has thresholds of strain in batch 0d8a2f4e-/,
  )
})

test('a file may refer to the catalogue of an earlier one', () => {
  const stored = flatten(readSiteFile(exampleText, 'earlier.yaml'))
  const text = `
users: [{ id: 3, name: C, structures: [3041, 3042] }]
structures:
  - { id: 3042, name: C, type: 2, timeZone: UTC, latitude: 1, longitude: 1, projects: [7],
      factors: [{ factor: 15, stations: [{ id: 1, name: S }] }] }
`

  assert.deepEqual(check(text, stored), [])
})

test('what belongs to a structure of another file cannot be taken', () => {
  const stored = flatten(readSiteFile(exampleText, 'earlier.yaml'))
  const text = `timeZone: UTC
structures:
  - id: 3042
    name: C
    type: 2
    latitude: 1
    longitude: 1
    factors:
      - factor: 15
        groups: [{ id: 11, name: G }]
        stations:
          - { id: 52093, name: S }
    cameras:
      - { id: 9, location: A, serialNo: C30411203, type: dome, source: "rtsp://h/1" }
`

  assert.deepEqual(refusalOf(text, stored).message.split('\n'), [
    's.yaml:10: structures[0].factors[0].groups[0].id: group 11 already belongs to structure 3040',
    's.yaml:12: structures[0].factors[0].stations[0].id: ' +
      'station 52093 already belongs to structure 3040',
    's.yaml:14: structures[0].cameras[0].serialNo: ' +
      'channel 1 of camera "C30411203" already belongs to structure 3040',
  ])
})

test('a factor keeps what structures of other files use of it', () => {
  const stored = flatten(readSiteFile(exampleText, 'earlier.yaml'))
  const text = `factors:
  - id: 15
    name: Strain
    structureTypes: [3]
    items: [{ id: 152, key: stress, name: Stress, precision: 0.1 }]
  - { id: 99, name: Mine, items: [{ id: 171, key: a, name: A, precision: 1 }] }
`

  const { message } = refusalOf(text, stored)

  assert.match(message, /s\.yaml:2: factors\[0\]: structure 3040, which is not in this file/)
  assert.match(message, /item strain is missing and still used by station 52093/)
  assert.match(message, /item strain is missing and still used by threshold batch 0d8a2f4e/)
  assert.match(message, /s\.yaml:6: factors\[1\]\.items\[0\]\.id: item 171 already belongs to fac/)
})

test('a parameter that the group does not define is noted', () => {
  const text = exampleWith('groupParams: { height: 3.5 }', 'groupParams: { depth: 3.5 }')

  assert.deepEqual(check(text), [
    {
      path: `${GROUPED}.groupParams.depth`,
      line: lineOf(text, 'depth'),
      message: 'station 52093 is in group 11, which does not define it',
    },
  ])
})

test('a raw value that another sensor of the station sends is named', () => {
  const text = exampleWith(
    'sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01]',
    'sensors: [6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01, 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a09]',
  ).replace(
    '    traffic:',
    '      - { id: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a09, name: T-09, kind: sensor, ' +
      'items: [{ key: air, name: Air }] }\n    traffic:',
  )
  const hint = 'T-09 sends it: 6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a09/air'

  const named = text.replace('t0: 19.5', 't0: 19.5\n                    temperature: air')
  const unnamed = text.replace(
    /kind: vibratingWireStrain[^]*?t0: 19.5/,
    'kind: expression\n                    formula: frequency - air',
  )

  assert.ok(refusalOf(named).message.includes(`VW-01 sends no air; ${hint}`))
  assert.ok(refusalOf(unnamed).message.includes(`as a parameter of expression; ${hint}`))
})
