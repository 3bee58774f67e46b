import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import type { CameraEntry } from '../../../domain/site/site-entry.ts'
import { RefusedError } from '../../../errors/refused-error.ts'
import type { PlaybackGrants } from '../../grants/playback-grants.ts'
import { isPermitted, type HookRequest } from './hook-request.ts'
import { readMediaMtxHook } from './mediamtx-hook.ts'
import { readSrsHook } from './srs-hook.ts'
import { readZlMediaKitHook } from './zlmediakit-hook.ts'

const PLAY: HookRequest = { path: '12-h', action: 'play', grant: 'g.1' }

const MEDIAMTX = {
  ip: '192.0.2.1',
  user: '',
  password: '',
  token: '',
  action: 'read',
  path: '12-h',
  protocol: 'hls',
  id: '6f7ffa3c-1ac3-4d5c-8d2e-7a1d7c11c0c9',
  query: 'grant=g.1',
}

const SRS = {
  server_id: 'vid-0xk989d',
  action: 'on_play',
  client_id: '341w361a',
  ip: '192.0.2.1',
  vhost: '__defaultVhost__',
  app: 'live',
  tcUrl: 'rtmp://m.example:1935/live',
  stream: '12-h',
  param: '?grant=g.1',
  pageUrl: '',
  stream_url: '/live/12-h',
  stream_id: 'vid-124q9y3',
}

const ZLMEDIAKIT = {
  mediaServerId: 'your_server_id',
  app: 'live',
  id: '140574554588960',
  ip: '192.0.2.1',
  params: 'grant=g.1',
  port: 65_217,
  schema: 'rtmp',
  stream: '12-h',
  vhost: '__defaultVhost__',
}

describe('a hook of MediaMTX', () => {
  test('has the path, the action and the grant of its query', () => {
    assert.deepEqual(readMediaMtxHook(MEDIAMTX), PLAY)
    assert.equal(readMediaMtxHook({ ...MEDIAMTX, action: 'publish' })?.action, 'publish')
    assert.equal(readMediaMtxHook({ ...MEDIAMTX, query: '' })?.grant, undefined)
  })

  test('about recordings or the API of MediaMTX is not read', () => {
    for (const action of ['playback', 'api', 'metrics', 'pprof', '', 1, undefined])
      assert.equal(readMediaMtxHook({ ...MEDIAMTX, action }), undefined)
  })
})

describe('a hook of SRS', () => {
  test('has the stream, the action and the grant of its parameters', () => {
    assert.deepEqual(readSrsHook(SRS), PLAY)
    assert.deepEqual(readSrsHook({ ...SRS, param: '?hls_ctx=12&grant=g.1&vhost=x' }), PLAY)
    assert.equal(readSrsHook({ ...SRS, action: 'on_publish' })?.action, 'publish')
  })

  test('of another event is not read', () => {
    for (const action of ['on_stop', 'on_connect', 'on_dvr', '', null])
      assert.equal(readSrsHook({ ...SRS, action }), undefined)
  })
})

describe('a hook of ZLMediaKit', () => {
  test('has the stream and the grant of its parameters', () => {
    assert.deepEqual(readZlMediaKitHook(ZLMEDIAKIT), PLAY)
  })

  test('with the origin of a stream is about publishing', () => {
    const published = { ...ZLMEDIAKIT, originType: 0, originTypeStr: 'rtmp_push' }

    assert.equal(readZlMediaKitHook(published)?.action, 'publish')
  })
})

test('a body of any shape is read or not, without an error', () => {
  const name = fc.constantFrom('path', 'action', 'query', 'stream', 'param', 'params')
  const value = fc.oneof(
    fc.constantFrom('read', 'on_play', '12-h', 'grant=%zz&grant'),
    fc.jsonValue(),
  )
  const body = fc.oneof(fc.dictionary(name, value), fc.jsonValue())
  fc.assert(
    fc.property(body, (one) => {
      for (const read of [readMediaMtxHook, readSrsHook, readZlMediaKitHook]) {
        const request = read(one)
        assert.ok(request === undefined || typeof request.path === 'string')
      }
    }),
    { numRuns: runs(5_000) },
  )
})

const CAMERA: CameraEntry = {
  kind: 'camera',
  id: 12,
  structure: 1,
  location: 'Weir',
  serialNo: 'C3',
  channelNo: 1,
  hasPTZ: false,
  type: 'fixed',
  source: 'rtsp://192.0.2.10/1',
}

const grants: Pick<PlaybackGrants, 'check'> = {
  async check(text) {
    if (text !== 'g.1') throw new RefusedError('forbidden', 'This playback address is not valid.')
    return { camera: CAMERA, quality: 'h', expires: 1_780_000_000, user: 1 }
  },
}

describe('what a media server asks', () => {
  test('is permitted to whoever has a grant of this camera and quality', async () => {
    assert.equal(await isPermitted(PLAY, grants), true)
  })

  test('is refused with a grant of another camera or quality, without one, and to publish', async () => {
    for (const request of [
      { ...PLAY, path: '1-h' },
      { ...PLAY, path: '12-d' },
      { ...PLAY, path: 'live/12-h' },
      { ...PLAY, path: '012-h' },
      { ...PLAY, path: '' },
      { ...PLAY, grant: 'g.2' },
      { ...PLAY, grant: '' },
      { ...PLAY, grant: undefined },
      { ...PLAY, action: 'publish' as const },
      undefined,
    ])
      assert.equal(await isPermitted(request, grants), false, JSON.stringify(request))
  })

  test('is refused where the address has two grants', async () => {
    const request = readMediaMtxHook({ ...MEDIAMTX, query: 'grant=g.1&grant=g.1' })

    assert.equal(await isPermitted(request, grants), false)
  })

  test('fails where the site cannot be read, which permits nothing', async () => {
    const broken = { check: () => Promise.reject(new Error('the disk is gone')) }

    await assert.rejects(isPermitted(PLAY, broken), /the disk is gone/)
  })
})
