import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { hashSecret } from '../../src/domain/access/secret.ts'
import type { Credentials } from '../../src/site/applications.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'
import { ISSUE } from './_tokens.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const basic = ({ appId, appSecret }: Credentials) =>
  `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`

/** Requests a token with headers and a body of the test's own. */
const issueWith = (service: TestService, headers: Record<string, string>, body: string) =>
  service.call('/api/v1/oauth2/token', { method: 'POST', headers, body })

describe('issueToken', () => {
  test('valid credentials get a uuid that ends in 30 days, written in UTC with milliseconds', async () => {
    const now = Date.UTC(2026, 3, 1, 9, 14, 27, 318)
    await using service = await withService({ site: SITE, now: () => now })

    const response = await service.postForm(
      '/oauth2/token',
      await service.createApplication(),
      ISSUE,
    )

    assert.equal(response.status, 200)
    assert.match(response.json().token, UUID)
    assert.equal(response.json().expires_in, '2026-05-01T09:14:27.318Z')
  })

  test('every call gives a new token, and the earlier ones stay valid', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()

    const first = (await service.postForm('/oauth2/token', application, ISSUE)).json().token
    const second = (await service.postForm('/oauth2/token', application, ISSUE)).json().token

    assert.notEqual(first, second)
    for (const token of [first, second])
      assert.equal((await service.get('/structures', token)).status, 200)
  })

  test('the response is gzip for a client that accepts it, with its type and length', async () => {
    await using service = await withService({ site: SITE })
    const headers = {
      authorization: basic(await service.createApplication()),
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      'accept-encoding': 'gzip',
    }

    const response = await issueWith(service, headers, 'grant_type=client_credentials')

    assert.equal(response.headers['content-encoding'], 'gzip')
    assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(Number(response.headers['content-length']), response.bytes.length)
    assert.match(JSON.parse(gunzipSync(response.bytes).toString()).token, UUID)
  })

  test('the form is read with white space and line breaks around it', async () => {
    await using service = await withService({ site: SITE })
    const headers = {
      authorization: basic(await service.createApplication()),
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    }

    for (const body of [
      ' grant_type=client_credentials ',
      '\r\ngrant_type=client_credentials\r\n',
      'grant_type=client_credentials\n',
      'grant_type=+client_credentials+',
      'scope=all&grant_type=client_credentials',
    ])
      assert.equal((await issueWith(service, headers, body)).status, 200, JSON.stringify(body))
  })

  test('the Content-Type is read in every spelling, with and without a charset', async () => {
    await using service = await withService({ site: SITE })
    const authorization = basic(await service.createApplication())

    for (const type of [
      'application/x-www-form-urlencoded',
      'application/x-www-form-urlencoded;charset=UTF-8',
      'application/x-www-form-urlencoded; charset=UTF-8',
      'application/x-www-form-urlencoded ; charset=utf-8',
      'application/x-www-form-urlencoded;charset="utf-8"',
      'Application/X-WWW-Form-UrlEncoded; Charset=UTF-8',
      'application/x-www-form-urlencoded;',
    ]) {
      const headers = { authorization, 'content-type': type }
      const response = await issueWith(service, headers, 'grant_type=client_credentials')
      assert.equal(response.status, 200, type)
    }
  })

  test('a Basic header is read with and without percent encoding', async () => {
    await using service = await withService({ site: SITE })
    const application = { appId: 'bridge office/7', appSecret: 'a+b c%ä:z' }
    await service.storage.applications.add(
      { id: application.appId, userId: 1, name: 'special', scope: 'read', createdAt: 0 },
      hashSecret(application.appSecret),
    )
    const encoded = {
      appId: encodeURIComponent(application.appId),
      appSecret: encodeURIComponent(application.appSecret),
    }

    assert.equal((await service.postForm('/oauth2/token', application, ISSUE)).status, 200)
    assert.equal((await service.postForm('/oauth2/token', encoded, ISSUE)).status, 200)
  })

  test('a slash at the end of the path makes no difference', async () => {
    await using service = await withService({ site: SITE })

    const response = await service.postForm(
      '/oauth2/token/',
      await service.createApplication(),
      ISSUE,
    )

    assert.equal(response.status, 200)
  })

  test('wrong credentials, another grant and no body are a 400 RequestError that names the reason', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const wrong = { ...application, appSecret: 'wrong' }
    const unknown = { ...application, appId: 'nobody' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }

    const messages = []
    for (const response of [
      await service.postForm('/oauth2/token', wrong, ISSUE),
      await service.postForm('/oauth2/token', unknown, ISSUE),
      await service.postForm('/oauth2/token', application, { grant_type: 'password' }),
      await service.postForm('/oauth2/token', application, {}),
      await issueWith(service, form, 'grant_type=client_credentials'),
      await issueWith(
        service,
        { ...form, authorization: 'Basic ä' },
        'grant_type=client_credentials',
      ),
    ]) {
      assert.equal(response.status, 400)
      assert.deepEqual(Object.keys(response.json()), ['name', 'message'])
      assert.equal(response.json().name, 'RequestError')
      assert.ok(!response.text.includes(application.appSecret))
      messages.push(response.json().message)
    }
    const header =
      'Token acquisition failed: the Authorization header must be Basic with the Base64 text of <application id>:<application secret>.'
    assert.deepEqual(messages, [
      'Token acquisition failed: the application id or secret is wrong.',
      'Token acquisition failed: the application id or secret is wrong.',
      'Token acquisition failed: the body member "grant_type" must be "client_credentials".',
      'Token acquisition failed: the body member "grant_type" is missing: it must be "client_credentials".',
      header,
      header,
    ])
  })

  test('only hashes of tokens are kept, and no token reaches the log', async () => {
    await using service = await withService({ site: SITE })

    const token = await service.issueToken()
    await service.get('/structures', token)
    await service.get('/structures/1/nothing', token)

    assert.ok(service.logged.length > 0)
    assert.ok(!service.logged.join('').includes(token))
    assert.equal((await service.storage.tokens.find(hashSecret(token)))?.userId, 1)
    assert.equal(await service.storage.tokens.find(Buffer.from(token)), undefined)
  })
})
