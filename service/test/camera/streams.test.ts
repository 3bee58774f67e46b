import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import { after, before, describe, test } from 'node:test'
import { hashPassword, SALT_BYTES } from '../../src/domain/access/password-hash.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { addAccount, openSession, PASSWORD } from '../_accounts.ts'
import { withService, type TestService } from '../_service.ts'
import { addressOf, beside, segmentsOf, siteWith, waitForSegments } from './_cameras.ts'
import { makeClip, probe } from './_camera-clips.ts'

const CAMERAS = [
  { id: 1, source: 'file:clip.mp4' },
  { id: 2, source: 'file:clip.mp4', structure: 2 },
  { id: 3, source: 'file:gone.mp4' },
  { id: 4, source: 'file:hevc.mp4', standard: { source: 'file:clip.mp4', height: 120 } },
]

let service: TestService
let token: string
let now = Date.UTC(2026, 2, 1, 4, 0, 0, 400)

before(async () => {
  service = await withService({ site: siteWith(CAMERAS), now: () => now })
  token = await service.issueToken(1)
  await makeClip(service.folder, 'clip.mp4')
  await makeClip(service.folder, 'hevc.mp4', { codec: 'libx265', size: '640x360' })
})

after(() => service[Symbol.asyncDispose]())

describe('HLS of the service', () => {
  test('an address plays without a token: a playlist whose segments are moving pictures', async () => {
    const path = await addressOf(service, token, { camera: 1 })

    const first = await service.call(path)
    const names = await waitForSegments(service, path, 3)
    const [segment, next] = await Promise.all(
      names.slice(0, 2).map((name) => service.call(beside(path, name))),
    )

    assert.equal(first.status, 200)
    assert.equal(first.headers['content-type'], 'application/vnd.apple.mpegurl')
    assert.equal(first.headers['access-control-allow-origin'], '*')
    assert.match(first.text, /^#EXTM3U\n#EXT-X-VERSION:3\n/)
    assert.equal(segment?.headers['content-type'], 'video/mp2t')
    const found = await probe(segment!.bytes)
    assert.deepEqual([found.codec, found.width, found.height], ['h264', 320, 180])
    assert.ok(found.keyframe && found.frames >= 20, JSON.stringify(found))
    assert.notDeepEqual(segment!.bytes, next!.bytes)
    assert.ok(!first.text.includes(token))
  })

  test('an altered address gets 403, on the playlist, a segment, FLV and the page alike', async () => {
    const path = await addressOf(service, token, { camera: 1 })
    const [name = ''] = await waitForSegments(service, path, 1)
    const [, , grant = ''] = path.split('/')
    const others = [
      grant.replace(/^1\./, '2.'),
      grant.replace('.d.', '.h.'),
      grant.replace(/\.(\d+)\./, (_, end: string) => `.${Number(end) + 3600}.`),
      grant.replace(/\.1\.([^.]+)$/, '.2.$1'),
      `${grant.slice(0, -1)}${grant.endsWith('A') ? 'B' : 'A'}`,
      grant.slice(0, -1),
      'x',
      '9.d.1.1.' + 'A'.repeat(43),
    ]

    for (const other of others)
      for (const file of ['index.m3u8', name, 'live.flv', '']) {
        const response = await service.call(`/streams/${other}/${file}`)
        assert.equal(response.status, 403, `${other}/${file}`)
        assert.equal(response.json().message, 'This playback address is not valid.')
      }
  })

  test('an address ends to the second, on the playlist and on segments alike', async () => {
    const path = await addressOf(service, token, { camera: 1, expireTime: 30 })
    const [name = ''] = await waitForSegments(service, path, 1)
    const began = now

    now = Date.UTC(2026, 2, 1, 4, 0, 29, 999)
    const last = [await service.call(path), await service.call(beside(path, name))]
    now = Date.UTC(2026, 2, 1, 4, 0, 30, 0)
    const over = [await service.call(path), await service.call(beside(path, name))]
    now = began

    assert.deepEqual(
      last.map(({ status }) => status),
      [200, 200],
    )
    for (const response of over) {
      assert.equal(response.status, 403)
      assert.deepEqual(response.json(), {
        name: 'Forbidden',
        message: 'This playback address has expired.',
      })
    }
  })

  test('an address ends when its user may not see the structure any more', async () => {
    const riverToken = await service.issueToken(2)
    const path = await addressOf(service, riverToken, { camera: 2 })
    const [name = ''] = await waitForSegments(service, path, 1)

    await applySite(service.storage, { text: siteWith(CAMERAS, '[1]'), fileName: 'site.yaml' })
    const refused = [await service.call(path), await service.call(beside(path, name))]
    await applySite(service.storage, { text: siteWith(CAMERAS), fileName: 'site.yaml' })

    for (const response of refused) {
      assert.equal(response.status, 403)
      assert.match(response.json().message, /may not see the camera any more/)
    }
    assert.equal((await service.call(path)).status, 200)
  })

  test('an address of an account ends with it, with its password, and with its structures', async () => {
    const { storage } = service
    const { accounts } = storage
    const id = await addAccount(storage, { name: 'anna', role: 'administrator', userId: null })
    const values = { displayName: 'anna', role: 'administrator', userId: null } as const
    await addAccount(storage, { ...values, name: 'boss' })
    const open = async () => {
      const headers = {
        cookie: await openSession(storage, id, now),
        'sec-fetch-site': 'same-origin',
      }
      const body = JSON.stringify({ serialNo: 'C2', protocol: 'hls' })
      const call = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
      const response = await service.call('/api/v1/camera/info', { ...call, body })
      return new URL(response.json().data.hls_url).pathname
    }
    const statusOf = async (path: string) => (await service.call(path)).status
    const change = (changed: object) =>
      accounts.change(id, { ...values, isDisabled: false, ...changed }, Date.now())

    const path = await open()
    await waitForSegments(service, path, 1)
    await change({ isDisabled: true })
    const disabled = await service.call(path)
    await change({})
    const again = await statusOf(path)
    await change({ userId: 2 })
    await applySite(storage, { text: siteWith(CAMERAS, '[1]'), fileName: 'site.yaml' })
    const narrowed = await statusOf(path)
    await applySite(storage, { text: siteWith(CAMERAS), fileName: 'site.yaml' })
    await accounts.reset(id, Date.now())
    const reset = await statusOf(path)
    await accounts.setPassword(id, await hashPassword(PASSWORD, randomBytes(SALT_BYTES)), now)
    const changed = await service.call(path)

    assert.deepEqual([disabled.status, again, narrowed, reset], [403, 200, 403, 403])
    assert.match(disabled.json().message, /its account is disabled or has a new password/)
    assert.equal(changed.status, 403)
    assert.equal(await statusOf(await open()), 200)
  })

  test('other names below an address are a 404, whatever they name', async () => {
    const path = await addressOf(service, token, { camera: 1 })
    await waitForSegments(service, path, 1)

    for (const name of ['0.ts', '1.ts', 'x', '..%2f..%2fcameras%2fclip.mp4', '%2e%2e', '__proto__'])
      assert.equal((await service.call(beside(path, name))).status, 404, name)
  })

  test('a camera that gives nothing is a 503 with the reason, without the address of its source', async () => {
    const path = await addressOf(service, token, { camera: 3 })

    const response = await service.call(path)

    assert.equal(response.status, 503)
    assert.equal(response.json().name, 'Unavailable')
    assert.match(response.json().message, /has no file of this name/)
    assert.ok(Number(response.headers['retry-after']) > 0)
    assert.ok(!response.text.includes(service.folder))
  })

  test('H.265 is transcoded to H.264, and a standard rendition is another stream', async () => {
    const high = await addressOf(service, token, { camera: 4, quality: 'h' })
    const standard = await addressOf(service, token, { camera: 4, quality: 'd' })

    const [highName = ''] = await waitForSegments(service, high, 1)
    const [standardName = ''] = await waitForSegments(service, standard, 1)
    const found = await Promise.all(
      [beside(high, highName), beside(standard, standardName)].map(async (path) =>
        probe((await service.call(path)).bytes),
      ),
    )

    assert.deepEqual(
      found.map(({ codec, width, height }) => [codec, width, height]),
      [
        ['h264', 640, 360],
        ['h264', 212, 120],
      ],
    )
  })
})

describe('HTTP-FLV of the service', () => {
  test('it begins with a keyframe and goes on, and ends within a second after the address', async () => {
    const path = await addressOf(service, token, { camera: 1, protocol: 'flv', expireTime: 30 })
    const began = now
    const chunks: Buffer[] = []
    const sent = request(`${service.service.origin}${path}`, { ca: service.certificate }).end()
    const ended = new Promise<number>((resolve) =>
      sent.once('response', (response) => {
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', () => {})
        response.on('close', () => resolve(performance.now()))
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 4000))

    now = Date.UTC(2026, 2, 1, 4, 0, 30)
    const expired = performance.now()
    const milliseconds = (await ended) - expired
    now = began

    assert.ok(milliseconds < 1000, `${milliseconds} ms`)
    const bytes = Buffer.concat(chunks)
    assert.equal(bytes.subarray(0, 3).toString(), 'FLV')
    const found = await probe(bytes)
    assert.deepEqual([found.codec, found.height, found.keyframe], ['h264', 180, true])
    assert.ok(found.frames > 40, `${found.frames} frames`)
  })
})

test('a service that stops does not wait for viewers of FLV', async () => {
  const own = await withService({ site: siteWith(CAMERAS) })
  await makeClip(own.folder, 'clip.mp4')
  const path = await addressOf(own, await own.issueToken(1), { camera: 1, protocol: 'flv' })
  const sent = request(`${own.service.origin}${path}`, { ca: own.certificate }).end()
  const [response] = await once(sent, 'response')
  response.on('error', () => {})
  response.resume()
  await once(response, 'data')
  const began = performance.now()

  await own[Symbol.asyncDispose]()

  const milliseconds = performance.now() - began
  assert.ok(milliseconds < 4000, `${milliseconds} ms`)
})

describe('the page of an address', () => {
  test('it loads its scripts from the service only, and says so in its policy', async () => {
    const path = beside(await addressOf(service, token, { camera: 1 }), '')

    const page = await service.call(path)
    const moved = await service.call(path.slice(0, -1))

    assert.equal(page.status, 200)
    assert.match(
      String(page.headers['content-security-policy']),
      /default-src 'none'; script-src 'self'/,
    )
    assert.equal(moved.status, 302)
    const scripts = Array.from(page.text.matchAll(/<script src="\.\.\/([^"]+)"/g), ([, url]) => url)
    assert.deepEqual(scripts, ['js/hls.js', 'js/player.js'])
    for (const script of scripts)
      assert.equal((await service.call(`/streams/${script}`)).status, 200)
  })
})

describe('the page without a grant', () => {
  test('leads nowhere, whatever the path is', async () => {
    for (const path of [
      '%2f%2fevil.example%2fx',
      '%0a',
      '%0d%0aset-cookie:a=b',
      'x',
      '%5cevil.example',
    ])
      for (const end of ['', '/']) {
        const response = await service.call(`/streams/${path}${end}`)
        assert.equal(response.status, 403, path)
        assert.equal(response.headers['location'], undefined)
      }
  })
})

describe('limits', () => {
  test('a stream beyond cameras.maxStreams is a 503 that says so; the same stream is shared', async () => {
    await using small = await withService({
      site: siteWith(CAMERAS),
      settings: { 'cameras.maxStreams': 1 },
    })
    await makeClip(small.folder, 'clip.mp4')
    const own = await small.issueToken(1)
    const paths = [
      await addressOf(small, own, { camera: 1 }),
      await addressOf(small, own, { camera: 1, quality: 'h' }),
    ]
    for (const path of paths) await waitForSegments(small, path, 1)

    const refused = await small.call(await addressOf(small, own, { camera: 2 }))

    assert.equal(refused.status, 503)
    assert.match(refused.json().message, /^1 streams? plays? already/)
  })

  test('without ffmpeg the service starts, and says what to install', async () => {
    await using bare = await withService({
      site: siteWith(CAMERAS),
      settings: { 'cameras.ffmpeg': '/nonexistent/ffmpeg' },
    })
    const own = await bare.issueToken(1)

    const info = await bare.post('/camera/info', own, { serialNo: 'C1', protocol: 'hls' })

    assert.equal(info.status, 503)
    assert.match(info.json().message, /apt-get install ffmpeg/)
    assert.ok(bare.logged.some((line) => line.includes('apt-get install ffmpeg')))
  })
})

test('the segments of a playlist stay while a slow client fetches them', async () => {
  const path = await addressOf(service, token, { camera: 1 })
  const names = await waitForSegments(service, path, 4)
  await new Promise((resolve) => setTimeout(resolve, 3000))

  for (const name of names) assert.equal((await service.call(beside(path, name))).status, 200)
  assert.ok(segmentsOf(await service.call(path)).every((name) => /^\d+\.ts$/.test(name)))
})
