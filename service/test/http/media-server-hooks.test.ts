import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const clock = { now: Date.UTC(2026, 2, 1, 4) }

let service: TestService
/** A grant of camera 1 in quality `h` for half an hour. */
let grant: string

before(async () => {
  service = await withService({
    site: SITE,
    now: () => clock.now,
    settings: { 'media.hls': '', 'media.rtmp': '' },
  })
  const body = { serialNo: 'C30411203', protocol: 'hls', quality: 'h' }
  const { data } = (await service.post('/camera/info', await service.issueToken(1), body)).json()
  ;[, grant = ''] = /\/streams\/([^/]+)\//.exec(data.hls_url) ?? []
})

after(() => service[Symbol.asyncDispose]())

const ask = (server: string, body: unknown, type = 'application/json') =>
  service.call(`/streams/hooks/${server}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** How each server asks to play a stream with the query of an address. */
const ASKING = {
  mediamtx: (stream: string, query: string) => ({
    user: '',
    password: '',
    token: '',
    ip: '192.0.2.1',
    action: 'read',
    path: stream,
    protocol: 'hls',
    id: '6f7ffa3c-1ac3-4d5c-8d2e-7a1d7c11c0c9',
    query,
  }),
  srs: (stream: string, query: string) => ({
    action: 'on_play',
    client_id: '9308h583',
    ip: '192.0.2.1',
    vhost: '__defaultVhost__',
    app: 'live',
    stream,
    param: `?${query}`,
    pageUrl: '',
  }),
  zlmediakit: (stream: string, query: string) => ({
    mediaServerId: 'your_server_id',
    app: 'live',
    id: '140574554588960',
    ip: '192.0.2.1',
    params: query,
    port: 65_217,
    schema: 'rtmp',
    stream,
    vhost: '__defaultVhost__',
  }),
}

const PERMITTED = { mediamtx: {}, srs: { code: 0 }, zlmediakit: { code: 0, msg: 'success' } }

const SERVERS = ['mediamtx', 'srs', 'zlmediakit'] as const

describe('a media server that asks', () => {
  for (const server of SERVERS)
    test(`${server}: is told that a grant opens its stream, whatever its media type`, async () => {
      for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain']) {
        const response = await ask(server, ASKING[server]('1-h', `grant=${grant}`), type)

        assert.equal(response.status, 200, type)
        assert.deepEqual(response.json(), PERMITTED[server])
      }
    })

  for (const server of SERVERS)
    test(`${server}: is refused another stream, an altered grant, and a body of another kind`, async () => {
      for (const body of [
        ASKING[server]('2-h', `grant=${grant}`),
        ASKING[server]('1-d', `grant=${grant}`),
        ASKING[server]('1-h', `grant=${grant.replace('.h.', '.d.')}`),
        ASKING[server]('1-h', `grant=${grant}&grant=${grant}`),
        ASKING[server]('1-h', ''),
        { ...ASKING[server]('1-h', `grant=${grant}`), stream: 1, path: null },
        {},
        [],
        'null',
      ]) {
        const response = await ask(server, body)

        assert.equal(response.status, 403, JSON.stringify(body))
        assert.notEqual(response.json().code, 0)
        assert.ok(!response.text.includes(grant))
      }
    })

  test('leaves a refusal in the security log', () => {
    assert.ok(
      service.logged.some(
        (line) =>
          line.includes('security.access-refused') && line.includes('/streams/hooks/mediamtx'),
      ),
    )
  })

  test('may not let anybody publish', async () => {
    const query = `grant=${grant}`
    for (const [server, body] of [
      ['mediamtx', { ...ASKING.mediamtx('1-h', query), action: 'publish' }],
      ['srs', { ...ASKING.srs('1-h', query), action: 'on_publish' }],
      ['zlmediakit', { ...ASKING.zlmediakit('1-h', query), originType: 0 }],
    ] as const)
      assert.equal((await ask(server, body)).status, 403, server)
  })

  test('is refused from the second on in which the grant expires', async () => {
    const body = ASKING.mediamtx('1-h', `grant=${grant}`)
    clock.now += 1_799_999
    assert.equal((await ask('mediamtx', body)).status, 200)

    clock.now += 1
    assert.equal((await ask('mediamtx', body)).status, 403)
  })

  test('with a body that is no JSON or too long gets a 400, and no log has the grant', async () => {
    assert.equal((await ask('srs', '{"action":')).status, 400)
    assert.equal((await ask('srs', { param: 'x'.repeat(20_000) })).status, 400)
    assert.ok(!service.logged.join('').includes(grant))
  })
})
