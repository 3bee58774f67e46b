import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { StructureState } from '@plumbline/contract'
import { addAccount, openSession } from '../_accounts.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex')
const WEBP = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), Buffer.alloc(300_000)])

let own: TestService
let token: string
let river: string

before(async () => {
  own = await withService({ site: SITE })
  token = await own.issueToken(1)
  river = await own.issueToken(2)
})

after(() => own[Symbol.asyncDispose]())

const send = (
  method: string,
  path: string,
  body?: string | Uint8Array,
  { as = token, type = 'application/octet-stream' } = {},
) =>
  own.call(path, {
    method,
    body,
    headers: { authorization: `Bearer ${as}`, ...(body && { 'content-type': type }) },
  })

const put = (body: Uint8Array, structure = 1, options = {}) =>
  send('PUT', `/manage/v1/structures/${structure}/portrait`, body, options)

const place = (positions: unknown, structure = 1, options = {}) =>
  send('PUT', `/manage/v1/structures/${structure}/positions`, JSON.stringify({ positions }), {
    type: 'application/json',
    ...options,
  })

const state = async (): Promise<StructureState> =>
  (await send('GET', '/manage/v1/structures/1/state')).json()

describe('putPortrait', () => {
  test('a picture is served to those who may see the structure, below a path of its own', async () => {
    const stored = await put(WEBP, 1, { type: 'image/webp' })

    assert.equal(stored.status, 200, stored.text)
    const { portrait } = stored.json()
    assert.match(portrait, /^\/files\/portraits\/1-[0-9a-f]{32}\.webp$/)
    assert.equal((await state()).portrait, portrait)
    const served = await send('GET', portrait)
    assert.deepEqual([served.status, served.headers['content-type']], [200, 'image/webp'])
    assert.deepEqual(served.bytes, WEBP)
    assert.match(String(served.headers['cache-control']), /^private, .*immutable$/)
    const account = await addAccount(own.storage, { name: 'v', role: 'viewer', userId: 1 })
    const cookie = await openSession(own.storage, account)
    assert.equal((await own.call(portrait, { headers: { cookie } })).status, 200)
    const others = [await send('GET', portrait, undefined, { as: river }), await own.call(portrait)]
    assert.deepEqual(
      others.map(({ status }) => status),
      [403, 401],
    )
  })
})

describe('deletePortrait', () => {
  test('another picture takes its place; a deleted one is gone', async () => {
    const { portrait: first } = (await put(PNG)).json()
    const { portrait: second } = (await put(JPEG)).json()

    assert.deepEqual([first.slice(-4), second.slice(-4)], ['.png', '.jpg'])
    assert.equal((await send('GET', first)).status, 404)
    assert.equal((await send('DELETE', '/manage/v1/structures/1/portrait')).status, 204)
    assert.equal((await send('GET', second)).status, 404)
    assert.equal((await state()).portrait, null)
  })

  test('refuses what is no picture, too large, or of a structure without access', async () => {
    const operator = await own.issueToken(1, 'operate')
    const refused = [
      await put(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
      await put(Buffer.concat([PNG, Buffer.alloc(8 * 1024 * 1024)])),
      await put(PNG, 99),
      await put(PNG, 1, { as: river }),
      await put(PNG, 1, { as: operator }),
      await send('GET', '/files/portraits/../1-x.png'),
    ]

    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 400, 404, 403, 403, 404],
    )
  })
})

describe('setPositions', () => {
  test('positions are those of the last request', async () => {
    const first = await place([
      { stationId: 1001, x: 0.25, y: 0.5 },
      { stationId: 1002, x: 0, y: 1 },
    ])
    const second = await place([{ stationId: 1001, x: 0.75, y: 0.5 }])

    assert.deepEqual([first.status, second.status], [204, 204], first.text)
    const [strain] = (await state()).factors
    const [group] = strain!.groups
    assert.deepEqual(group!.stations[0]?.position, { x: 0.75, y: 0.5 })
    assert.equal(strain!.groups[1]?.stations[0]?.position, null)
  })

  test('refuses positions outside the picture, twice, or of stations of another structure', async () => {
    const one = { stationId: 1001, x: 0.5, y: 0.5 }
    const refused = [
      await place([{ ...one, x: 1.1 }]),
      await place([one, one]),
      await place([{ ...one, stationId: 2001 }]),
      await place([{ ...one, stationId: 9 }]),
      await place([one], 1, { as: river }),
    ]

    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 400, 400, 404, 403],
    )
  })
})

test('the audit log has the length and the hash of a picture, not its bytes', async () => {
  const { status } = await put(WEBP, 1, { type: 'image/webp' })

  const [line] = await own.storage.audit.list({ limit: 1 })
  assert.equal(status, 200)
  assert.equal(line?.operation, 'putPortrait')
  const { picture } = line.after as { picture: { bytes: number } }
  assert.deepEqual(Object.keys(picture), ['bytes', 'sha256'])
  assert.equal(picture.bytes, WEBP.length)
})
