import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CameraEntry, SiteEntry, StationEntry } from '../../domain/site/site-entry.ts'
import { difference, formatDifference } from './difference.ts'
import { maskSource } from './mask-source.ts'

const user: SiteEntry = { kind: 'user', id: 1, name: 'Office', structures: 'all' }
const structure: SiteEntry = {
  kind: 'structure',
  id: 3040,
  name: 'East span',
  type: 2,
  latitude: 30.5,
  longitude: 114.3,
  portrait: '',
  timeZone: 'Asia/Shanghai',
  projects: [],
  factors: [15],
  traffic: null,
}
const station: StationEntry = {
  kind: 'station',
  id: 52094,
  structure: 3040,
  factor: 15,
  group: null,
  name: 'SG-02',
  portrait: '',
  labels: ['a'],
  groupParams: { height: 1 },
  multiParams: null,
  from: null,
}
const camera: CameraEntry = {
  kind: 'camera',
  id: 3,
  structure: 3040,
  location: 'East pylon',
  serialNo: 'C3',
  channelNo: 1,
  hasPTZ: false,
  type: 'dome',
  source: 'rtsp://admin:secret@192.0.2.10/stream1',
}
const site = [user, structure, station, camera]

test('a site compared with itself has nothing to change, in any order of its members', () => {
  const reordered = site.map((entry) => Object.fromEntries(Object.entries(entry).toReversed()))

  const changes = difference(site, reordered as SiteEntry[])

  assert.deepEqual(changes, [])
  assert.deepEqual(formatDifference(changes), ['nothing to change'])
})

test('added, altered and removed entries have one line each, and are counted', () => {
  const wanted: SiteEntry[] = [
    user,
    structure,
    { ...station, id: 52093, name: 'SG-01' },
    { ...station, name: 'SG-2', labels: ['a', 'b'], groupParams: { height: 2 }, group: 11 },
  ]

  assert.deepEqual(formatDifference(difference(site, wanted)), [
    '+ station 52093 SG-01',
    '~ station 52094 SG-02: group none -> 11, name "SG-02" -> "SG-2", ' +
      'labels ["a"] -> ["a","b"], groupParams.height 1 -> 2',
    '- camera 3 East pylon',
    '1 to add, 1 to change, 1 to remove',
  ])
})

test('entries that files share, and structures that the file does not have, are never removed', () => {
  assert.deepEqual(difference(site, []), [])
  assert.deepEqual(
    difference(site, [structure]).map(({ change, entry }) => [change, entry.id]),
    [
      ['remove', 3],
      ['remove', 52094],
    ],
  )
})

test('a station that moves to another structure of the file is altered, not removed', () => {
  const other = { ...structure, id: 3041 }
  const wanted = [structure, other, { ...station, structure: 3041 }, camera]

  const changes = difference([...site, other], wanted)

  assert.deepEqual(formatDifference(changes), [
    '~ station 52094 SG-02: structure 3040 -> 3041',
    '0 to add, 1 to change, 0 to remove',
  ])
})

test('mappings in lists are compared by member, also a member __proto__', () => {
  const before = { ...station, multiParams: { list: [{ a: 1 }, JSON.parse('{"__proto__": 1}')] } }
  const after = { ...station, multiParams: { list: [{ a: 1 }, JSON.parse('{"__proto__": 2}')] } }

  const [change] = difference([before], [after])

  assert.deepEqual(change?.fields, [{ path: 'multiParams.list[1].__proto__', from: 1, to: 2 }])
})

test('a password in the source of a camera is never shown', () => {
  const changed = { ...camera, source: 'rtsp://admin:other@192.0.2.10/stream1' }
  const moved = { ...camera, source: 'rtsp://admin:secret@192.0.2.11/stream1' }
  const changes = difference([structure, camera], [structure, changed])

  assert.deepEqual(formatDifference(changes).slice(0, 1), ['~ camera 3 East pylon: source altered'])
  assert.deepEqual(formatDifference(difference([structure, camera], [structure, moved])), [
    '~ camera 3 East pylon: source "rtsp://***@192.0.2.10/stream1" -> ' +
      '"rtsp://***@192.0.2.11/stream1"',
    '0 to add, 1 to change, 0 to remove',
  ])
  assert.doesNotMatch(JSON.stringify(changes[0]?.fields), /secret|other/)
})

test('the passwords of a second stream and of ONVIF are never shown', () => {
  const standard = { source: 'rtsp://admin:secret@192.0.2.10/2' }
  const before = { ...camera, standard, onvif: 'http://admin:secret@192.0.2.10/onvif' }
  const after = {
    ...before,
    standard: { height: 480 },
    onvif: 'http://admin:other@192.0.2.10/onvif',
  }

  assert.deepEqual(
    formatDifference(difference([structure, camera], [structure, before]))[0],
    [
      '~ camera 3 East pylon: standard none -> {"source":"rtsp://***@192.0.2.10/2"}, ' +
        'onvif none -> "http://***@192.0.2.10/onvif"',
    ].join(''),
  )
  assert.deepEqual(
    formatDifference(difference([structure, before], [structure, after]))[0],
    '~ camera 3 East pylon: standard.source "rtsp://***@192.0.2.10/2" -> none, ' +
      'standard.height none -> 480, onvif altered',
  )
})

test('a source is masked in all places where cameras have a password', () => {
  const masked = {
    'rtsp://192.0.2.10/stream1': 'rtsp://192.0.2.10/stream1',
    'rtsp://u:p@h:554/live/1': 'rtsp://***@h:554/live/1',
    'rtsp://u:p/a@s@h/1': 'rtsp://***@h/1',
    'http://h/video?user=u&pwd=p': 'http://h/video?***',
    'rtsp://h/user=u&password=p&channel=1.sdp': 'rtsp://h/***',
    'rtmp://h/live/key?token=t': 'rtmp://h/live/***?***',
    'file:测试.mp4': 'file:测试.mp4',
  }

  for (const [source, expected] of Object.entries(masked)) {
    assert.equal(maskSource(source), expected)
  }
})

test('control characters of a name do not reach the terminal', () => {
  const [line] = formatDifference(difference([], [{ ...station, name: 'a\u001b[31m\nb' }]))

  assert.equal(line, '+ station 52094 a [31m b')
})
