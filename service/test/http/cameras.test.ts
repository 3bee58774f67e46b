import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { callHttps, withService, type TestService } from '../_service.ts'

const NOW = Date.UTC(2026, 2, 1, 4, 0, 0, 400)

let service: TestService
let token: string
let riverToken: string

before(async () => {
  service = await withService({
    site: SITE,
    now: () => NOW,
  })
  token = await service.issueToken(1)
  riverToken = await service.issueToken(2)
})

after(() => service[Symbol.asyncDispose]())

const info = (body: unknown, own = token) => service.post('/camera/info', own, body)
const ASKED = { serialNo: 'C30411203', protocol: 'hls' }

/** What an address of the service says: camera, quality, end and user. */
function grantIn(address: string) {
  const match = /^https:\/\/localhost:\d+\/streams\/(\d+)\.([hd])\.(\d+)\.(\d+)\.[\w-]{43}\//.exec(
    address,
  )
  const [, camera, quality, seconds, user] = match ?? []
  return { camera: Number(camera), quality, expiresAt: Number(seconds) * 1000, user: Number(user) }
}

describe('listCameras', () => {
  const weir = {
    id: 2,
    location: 'Weir',
    serialNo: 'C2',
    channelNo: 3,
    hasPTZ: false,
    type: 'fixed',
    IPCstructure: 2,
  }

  test('cameras come with their structure, without the address of their stream', async () => {
    const response = await service.get('/user/camera/list', token)

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), [
      {
        id: 1,
        location: '东塔',
        serialNo: 'C30411203',
        channelNo: 1,
        hasPTZ: true,
        type: '球机',
        IPCstructure: 1,
      },
      weir,
    ])
    assert.ok(!response.text.includes('192.0.2'))
  })

  test('an application sees the cameras of its user’s structures only', async () => {
    assert.deepEqual((await service.get('/user/camera/list', riverToken)).json(), [weir])
  })

  test('without a token it is a 401', async () => {
    assert.equal((await service.call('/api/v1/user/camera/list')).status, 401)
  })
})

describe('getCameraInfo', () => {
  test('an address ends in half an hour, in standard definition, on the structure’s clock', async () => {
    const response = await info(ASKED)

    assert.equal(response.status, 200)
    const { data } = response.json()
    assert.deepEqual(Object.keys(data), ['expireTime', 'hls_url'])
    assert.equal(data.expireTime, '2026-03-01 12:30:00')
    assert.match(data.hls_url, /\/index\.m3u8$/)
    assert.ok(data.hls_url.startsWith(`${service.service.origin}/streams/`), data.hls_url)
    assert.deepEqual(grantIn(data.hls_url), {
      camera: 1,
      quality: 'd',
      expiresAt: Date.UTC(2026, 2, 1, 4, 30),
      user: 1,
    })
    assert.ok(!response.text.includes(token))
  })

  test('each requested protocol has its address once, in any case and order', async () => {
    const { data } = (await info({ ...ASKED, protocol: ' FLV, hls,,flv ' })).json()

    assert.deepEqual(Object.keys(data), ['expireTime', 'flv_url', 'hls_url'])
    assert.match(data.flv_url, /\/live\.flv$/)
    for (const address of [data.hls_url, data.flv_url]) assert.equal(grantIn(address).camera, 1)
  })

  test('without a media server there is no RTMP: its address is left out, alone it is a 503', async () => {
    const several = await info({ ...ASKED, protocol: 'rtmp,hls' })
    const alone = await info({ ...ASKED, protocol: 'rtmp' })

    assert.deepEqual(Object.keys(several.json().data), ['expireTime', 'hls_url'])
    assert.equal(alone.status, 503)
    assert.deepEqual(alone.json(), {
      name: 'Unavailable',
      message:
        'RTMP needs an external media server, and this service has none: ask for hls or flv.',
    })
  })

  test('an address has the host and port that were asked', async () => {
    const { port } = new URL(service.service.origin)
    const origin = `https://127.0.0.1:${port}`
    const response = await callHttps(
      `${origin}/api/v1/camera/info?token=${token}`,
      service.certificate,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(ASKED),
      },
    )

    assert.ok(response.json().data.hls_url.startsWith(`${origin}/streams/1.d.`), response.text)
  })

  test('an address begins with the public address where it is set', async () => {
    await using proxied = await withService({
      site: SITE,
      settings: { 'http.publicUrl': 'https://shm.example/bridges/' },
    })

    const { data } = (await proxied.post('/camera/info', await proxied.issueToken(), ASKED)).json()

    assert.match(data.hls_url, /^https:\/\/shm\.example\/bridges\/streams\/1\.d\./)
  })

  test('quality, channel and validity are the caller’s, from 30 seconds to 720 days', async () => {
    const body = { serialNo: 'C2', channelNo: 3, protocol: 'hls', quality: 'h' }
    const short = (await info({ ...body, expireTime: 30 })).json().data
    const long = (await info({ ...body, expireTime: 62_208_000 })).json().data

    assert.equal(short.expireTime, '2026-03-01 05:00:30')
    assert.equal(grantIn(short.hls_url).quality, 'h')
    assert.equal(grantIn(long.hls_url).expiresAt, Date.UTC(2028, 1, 19, 4))
  })

  test('the body is JSON or a form, as the same request', async () => {
    const expected = (await info({ serialNo: 'C2', channelNo: 3, protocol: 'hls', quality: 'h' }))
      .text
    const path = `/api/v1/camera/info?token=${token}`
    const form = 'serialNo=C2&channelNo=3&protocol=hls&quality=h&expireTime=1800'

    for (const [type, body] of [
      ['application/x-www-form-urlencoded', form],
      ['application/x-www-form-urlencoded;charset=UTF-8', ` ${form}\r\n`],
      ['application/json', '{"serialNo":"C2","channelNo":"3","protocol":"hls","quality":"h"}'],
      [
        'application/json',
        '{"serialNo":"C2","channelNo":3,"protocol":"hls","quality":"h","expireTime":null,"x":1}',
      ],
    ] as const) {
      const response = await service.call(path, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      })
      assert.equal(response.text, expected, body)
    }
  })

  test('the members are checked by name', async () => {
    for (const [body, reason] of [
      [undefined, /the body must be an object: serialNo/],
      [{ protocol: 'hls' }, /"serialNo" is missing: it must be text that is not empty/],
      [{ serialNo: 'C2' }, /"protocol" is missing/],
      [{ ...ASKED, protocol: 'webrtc' }, /"protocol" must be one or more of hls, rtmp, flv/],
      [{ ...ASKED, protocol: ' , ' }, /"protocol" must be one or more of hls, rtmp, flv/],
      [{ ...ASKED, protocol: 'hls,constructor' }, /"protocol" must be one or more of/],
      [{ ...ASKED, quality: 'x' }, /"quality" must be one of h, d/],
      [{ ...ASKED, expireTime: 29 }, /"expireTime" must be a whole number from 30 to 62208000/],
      [{ ...ASKED, expireTime: 62_208_001 }, /"expireTime" must be a whole number/],
      [{ ...ASKED, channelNo: 'first' }, /"channelNo" must be a whole number/],
      [{ ...ASKED, channelNo: '' }, /"channelNo" must be a whole number/],
      [{ ...ASKED, channelNo: [] }, /"channelNo" must be a whole number/],
      [{ ...ASKED, expireTime: '' }, /"expireTime" must be a whole number/],
      [{ ...ASKED, expireTime: [] }, /"expireTime" must be a whole number/],
      [{ ...ASKED, quality: '' }, /"quality" must be one of h, d/],
      [{ ...ASKED, quality: [] }, /"quality" must be one of h, d/],
      [{ ...ASKED, protocol: '' }, /"protocol" must be text/],
      [{ ...ASKED, protocol: [] }, /"protocol" must be text/],
      [{ ...ASKED, serialNo: '' }, /"serialNo" must be text/],
      [{ ...ASKED, serialNo: [] }, /"serialNo" must be text/],
    ] as const) {
      const response = await info(body)
      assert.equal(response.status, 400, JSON.stringify(body))
      assert.equal(response.json().name, 'FindError')
      assert.match(response.json().message, /^Camera query failed: /)
      assert.match(response.json().message, reason)
    }
  })

  test('401, 400, 404, 403 in this order', async () => {
    assert.equal((await service.call('/api/v1/camera/info', { method: 'POST' })).status, 401)
    for (const [body, status] of [
      [{ serialNo: 'nobody', protocol: 'x' }, 400],
      [{ serialNo: 'nobody', protocol: 'hls' }, 404],
      [{ serialNo: 'C2', protocol: 'hls' }, 404],
      [ASKED, 403],
    ] as const) {
      const response = await info(body, riverToken)
      assert.equal(response.status, status)
      assert.ok(!response.text.includes('nobody'))
    }
  })
})
