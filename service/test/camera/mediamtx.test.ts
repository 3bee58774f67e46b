import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CameraEntry } from '../../src/domain/site/site-entry.ts'
import { PlaybackGrants } from '../../src/camera/grants/playback-grants.ts'
import { MediaMtxApi } from '../../src/camera/media-server/mediamtx/mediamtx-api.ts'
import { startMediaMtxSync } from '../../src/camera/media-server/mediamtx/mediamtx-sync.ts'
import { Catalogue } from '../../src/domain/site/catalogue.ts'
import { eventually } from '../_eventually.ts'
import { MediaMtxStandIn } from './_mediamtx.ts'

const camera = (id: number, source: string, more: Partial<CameraEntry> = {}): CameraEntry => ({
  kind: 'camera',
  id,
  structure: 1,
  location: 'Weir',
  serialNo: `C${id}`,
  channelNo: 1,
  hasPTZ: false,
  type: 'fixed',
  source,
  ...more,
})

const siteOf = (cameras: CameraEntry[]): Catalogue =>
  new Catalogue({
    version: 1,
    entries: [{ kind: 'user', id: 1, name: 'Office', structures: 'all' }, ...cameras],
    defaultGroups: [],
    sensorKeys: new Map(),
  })

/** A stand-in whose paths are kept equal to cameras that a test may change. */
async function withSync(cameras: CameraEntry[]) {
  const server = await new MediaMtxStandIn().open()
  const site = { cameras, now: 0 }
  const lines: string[] = []
  const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) }
  const catalogue = async () => siteOf(site.cameras)
  const accounts = { findSecrets: async () => undefined }
  const now = () => site.now
  const grants = new PlaybackGrants({ secret: new Uint8Array(32), catalogue, accounts, now })
  const start = (user = '', password = '') => {
    const api = new MediaMtxApi({ api: server.api, user, password })
    return startMediaMtxSync({ api, catalogue, grants, log, everyMilliseconds: 10 })
  }
  return { server, site, lines, grants, start }
}

/** Waits until the server was asked for its paths again, some times. */
async function runs(server: MediaMtxStandIn, count = 2): Promise<void> {
  const lists = () => server.requests.filter((one) => one === 'GET config/paths/list').length
  const before = lists()
  await eventually(() => assert.ok(lists() >= before + count))
}

describe('the paths of MediaMTX', () => {
  test('are those of the cameras, read on demand, and follow the site', async () => {
    const { server, site, start } = await withSync([
      camera(1, 'rtsp://u:p@192.0.2.1/1', { standard: { source: 'rtsp://u:p@192.0.2.1/2' } }),
      camera(2, 'rtsp://192.0.2.2/1'),
    ])
    await using _server = server
    server.paths.set('all_others', { name: 'all_others', source: 'publisher' })
    server.paths.set('9-h', { name: '9-h', source: 'rtsp://192.0.2.9/', sourceOnDemand: true })
    await using _sync = start()

    await eventually(() =>
      assert.deepEqual(server.sources, {
        all_others: 'publisher',
        '1-h': 'rtsp://u:p@192.0.2.1/1',
        '1-d': 'rtsp://u:p@192.0.2.1/2',
        '2-h': 'rtsp://192.0.2.2/1',
        '2-d': 'rtsp://192.0.2.2/1',
      }),
    )
    assert.equal(server.paths.get('1-h')?.['sourceOnDemand'], true)

    site.cameras = [camera(2, 'rtsp://192.0.2.3/1')]
    await eventually(() =>
      assert.deepEqual(server.sources, {
        all_others: 'publisher',
        '2-h': 'rtsp://192.0.2.3/1',
        '2-d': 'rtsp://192.0.2.3/1',
      }),
    )
  })

  test('of more than a page are all known, and are not written again', async () => {
    const cameras = Array.from({ length: 130 }, (_, at) => camera(at, `rtsp://192.0.2.1/${at}`))
    const { server, start } = await withSync(cameras)
    await using _server = server
    await using _sync = start()

    await eventually(() => assert.equal(server.paths.size, 260))
    const written = server.requests.filter((one) => !one.startsWith('GET')).length
    await runs(server)

    assert.equal(written, 260)
    assert.equal(server.requests.filter((one) => !one.startsWith('GET')).length, written)
  })

  test('come back when MediaMTX was down, which is logged once, without an address', async () => {
    const { server, lines, start } = await withSync([camera(1, 'rtsp://u:sec-ret@192.0.2.1/1')])
    await using _server = server
    await server.close()
    await using _sync = start()

    await eventually(() => assert.equal(lines.length, 1))
    await server.open()
    await eventually(() => assert.equal(server.paths.size, 2))
    await eventually(() => assert.equal(lines.length, 3))

    assert.deepEqual(lines, [
      'MediaMTX cannot be reached: ECONNREFUSED. It is asked again within 30 s.',
      '2 paths of MediaMTX changed.',
      'MediaMTX answers again, and has its paths.',
    ])
  })

  test('need the user of the API where it has one', async () => {
    const { server, lines, start } = await withSync([camera(1, 'rtsp://192.0.2.1/1')])
    await using _server = server
    Object.assign(server, { user: 'plumbline', password: 'sec:ret' })
    {
      await using _sync = start('plumbline', 'wrong')
      await eventually(() => assert.equal(lines.length, 1))
    }
    assert.match(lines[0] ?? '', /^MediaMTX refuses the user of its API: check media\.mediamtxUser/)

    await using _sync = start('plumbline', 'sec:ret')
    await eventually(() => assert.equal(server.paths.size, 2))
  })

  test('that MediaMTX refuses or cannot read cost the others nothing, and no log has a source', async () => {
    const { server, lines, start } = await withSync([
      camera(1, 'rtsp://u:sec-ret@192.0.2.1/a b'),
      camera(2, 'file:test.mp4'),
      camera(3, 'rtsp://192.0.2.3/1'),
    ])
    await using _server = server
    await using _sync = start()

    await eventually(() => assert.deepEqual(Object.keys(server.sources), ['3-h', '3-d']))
    await runs(server)

    assert.deepEqual(lines, [
      '2 paths of MediaMTX changed.',
      'MediaMTX cannot play camera 2: its source is neither RTSP, RTMP nor HLS.',
      'MediaMTX refuses the path 1-h with status 400.',
      'MediaMTX refuses the path 1-d with status 400.',
    ])
  })

  test('are written once where MediaMTX lists sources in another form', async () => {
    const { server, site, start } = await withSync([camera(1, 'rtsp://u:p@192.0.2.1/1')])
    await using _server = server
    server.listSource = (source) => String(source).replace('u:p@', '***@')
    await using _sync = start()
    await runs(server, 3)

    assert.deepEqual(
      server.requests.filter((one) => !one.startsWith('GET')),
      ['POST config/paths/add/1-h', 'POST config/paths/add/1-d'],
    )
    site.cameras = [camera(1, 'rtsp://u:p@192.0.2.1/2')]
    await eventually(() => assert.equal(server.sources['1-d'], 'rtsp://u:p@192.0.2.1/2'))
  })

  test('stay as they are while MediaMTX answers nonsense', async () => {
    const { server, lines, start } = await withSync([camera(1, 'rtsp://192.0.2.1/1')])
    await using _server = server
    const answers = [
      { status: 200, body: '<html>' },
      { status: 200, body: { items: {} } },
      { status: 302, body: {} },
      { status: 200, body: `{"items":["${'x'.repeat(9_000_000)}"]}` },
    ]
    server.misbehave = () => answers.shift()
    await using _sync = start()

    await eventually(() => assert.equal(server.paths.size, 2))
    assert.deepEqual(lines.slice(0, 4), [
      'MediaMTX answered with something else than JSON. It is asked again within 30 s.',
      'MediaMTX answered with something else than a list. It is asked again within 30 s.',
      'MediaMTX answered with status 302. It is asked again within 30 s.',
      'MediaMTX answered with too many bytes. It is asked again within 30 s.',
    ])
  })
})

const reader = (id: string, path: string, query: string) => ({ id, path, query, state: 'read' })

describe('the sessions of MediaMTX', () => {
  test('end when their grant does, and others go on', async () => {
    const east = camera(1, 'rtsp://192.0.2.1/1')
    const { server, site, grants, start } = await withSync([east])
    await using _server = server
    const grant = await grants.make(east, {
      quality: 'h',
      holder: { user: 1 },
      expiresAt: 60_000,
    })
    server.sessions.set('rtmpconns', [
      reader('a-1', '1-h', `grant=${grant}`),
      reader('a-2', '1-h', ''),
      reader('a-3', 'east', 'grant=x'),
    ])
    server.sessions.set('hlssessions', [reader('b-1', '1-d', `grant=${grant}`)])
    await using _sync = start()

    await eventually(() => assert.equal(server.sessions.get('hlssessions')?.length, 0))
    await runs(server)
    assert.deepEqual(idsOf(server, 'rtmpconns'), ['a-1', 'a-2', 'a-3'])

    site.now = 60_000
    await eventually(() => assert.deepEqual(idsOf(server, 'rtmpconns'), ['a-2', 'a-3']))
  })
})

const idsOf = (server: MediaMtxStandIn, kind: string): string[] =>
  (server.sessions.get(kind) ?? []).map(({ id }) => id)
