import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { pathChanges, wantedPaths, type MediaMtxPath } from './path-changes.ts'

const path = (name: string, source: string, sourceOnDemand = true): MediaMtxPath => ({
  name,
  source,
  sourceOnDemand,
})

describe('the paths of MediaMTX', () => {
  test('are two for each camera, which share its source unless it has a second one', () => {
    const { sources, unreadable } = wantedPaths([
      { id: 1, source: 'rtsp://u:p@192.0.2.1/1' },
      { id: 2, source: 'rtsp://192.0.2.2/1', standard: { source: 'rtsp://192.0.2.2/2' } },
      { id: 3, source: 'rtmps://m.example/live/3', standard: { height: 480 } },
    ])

    assert.deepEqual(Object.fromEntries(sources), {
      '1-h': 'rtsp://u:p@192.0.2.1/1',
      '1-d': 'rtsp://u:p@192.0.2.1/1',
      '2-h': 'rtsp://192.0.2.2/1',
      '2-d': 'rtsp://192.0.2.2/2',
      '3-h': 'rtmps://m.example/live/3',
      '3-d': 'rtmps://m.example/live/3',
    })
    assert.deepEqual(unreadable, [])
  })

  test('leave out a source that MediaMTX cannot read', () => {
    const { sources, unreadable } = wantedPaths([
      { id: 1, source: 'file:test.mp4' },
      { id: 2, source: 'http://192.0.2.2/video.mjpg' },
      { id: 3, source: 'https://192.0.2.3/live/index.m3u8?key=1' },
      { id: 4, source: 'rtsp://192.0.2.4/', standard: { source: 'http://192.0.2.4/x?a=.m3u8' } },
    ])

    assert.deepEqual([...sources.keys()], ['3-h', '3-d', '4-h'])
    assert.deepEqual(unreadable, [1, 2, 4])
  })

  test('are added, patched and deleted where they differ', () => {
    const wanted = new Map([
      ['1-h', 'rtsp://a'],
      ['2-h', 'rtsp://b'],
      ['3-h', 'rtsp://c'],
      ['4-h', 'rtsp://d'],
    ])
    const listed = [
      path('1-h', 'rtsp://a'),
      path('2-h', 'rtsp://old'),
      path('3-h', 'rtsp://c', false),
      path('9-d', 'rtsp://gone'),
    ]

    assert.deepEqual(pathChanges(wanted, listed), [
      { kind: 'delete', name: '9-d' },
      { kind: 'patch', name: '2-h', source: 'rtsp://b' },
      { kind: 'patch', name: '3-h', source: 'rtsp://c' },
      { kind: 'add', name: '4-h', source: 'rtsp://d' },
    ])
  })

  test('with names of another form are never touched', () => {
    const listed = ['all_others', 'site/1-h', '01-h', '1-x', '~^.*$', 'east'].map((name) =>
      path(name, 'publisher', false),
    )

    assert.deepEqual(pathChanges(new Map(), listed), [])
  })

  test('need no further change once the changes are made', () => {
    const name = fc.constantFrom('1-h', '1-d', '2-h', '12-d', 'all_others', '01-h')
    const source = fc.constantFrom('rtsp://a', 'rtsp://b', 'publisher')
    const listed = fc
      .uniqueArray(fc.record({ name, source, sourceOnDemand: fc.boolean() }), {
        selector: (one) => one.name,
      })
      .map((paths) => paths.map((one) => path(one.name, one.source, one.sourceOnDemand)))
    const ours = fc.constantFrom('1-h', '1-d', '2-h', '12-d')
    const wanted = fc.uniqueArray(fc.tuple(ours, source), { selector: ([one]) => one })
    fc.assert(
      fc.property(wanted, listed, (pairs, paths) => {
        const sources = new Map(pairs)
        const after = new Map(paths.map((one) => [one.name, one]))
        for (const change of pathChanges(sources, paths))
          if (change.kind === 'delete') after.delete(change.name)
          else after.set(change.name, path(change.name, change.source))

        assert.deepEqual(pathChanges(sources, [...after.values()]), [])
        for (const one of paths.filter(({ name: of }) => /^(all_others|01-h)$/.test(of)))
          assert.deepEqual(after.get(one.name), one)
      }),
      { numRuns: runs(2_000) },
    )
  })
})
