import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashSecret } from '../../src/domain/access/secret.ts'
import type { Credentials } from '../../src/site/applications.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const ISSUE = { grant_type: 'client_credentials' }
const OTHER_ADDRESS = '127.0.0.2'

const wrong = (application: Credentials, n = 0): Credentials => ({
  ...application,
  appSecret: `guess ${n}`,
})

const guess = async (service: TestService, application: Credentials, times: number) => {
  const responses = []
  for (let n = 1; n <= times; n++)
    responses.push(await service.postForm('/oauth2/token', wrong(application, n), ISSUE))
  return responses
}

/** Requests a token from another address, or behind a proxy. */
const issueFrom = (
  service: TestService,
  { appId, appSecret }: Credentials,
  { localAddress, forwarded }: { localAddress?: string; forwarded?: string },
) =>
  service.call('/api/v1/oauth2/token', {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    },
    body: 'grant_type=client_credentials',
    localAddress,
  })

const carry = (service: TestService, token: string) =>
  service.call('/api/v1/structures', { headers: { authorization: `Bearer ${token}` } })

describe('wrong application secrets', () => {
  test('respond 429 after ten in a minute from one address, with the time to wait', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const application = await service.createApplication()
    for (const { status } of await guess(service, application, 10)) assert.equal(status, 400)

    const [response] = await guess(service, application, 1)

    assert.equal(response?.status, 429)
    assert.deepEqual(response.json(), {
      name: 'TooManyRequests',
      message: 'Too many wrong credentials.',
    })
    assert.equal(response.headers['retry-after'], '6')
    const [longer] = await guess(service, application, 1)
    assert.equal(longer?.headers['retry-after'], '12')
    now += 60_000
    assert.equal((await guess(service, application, 1))[0]?.status, 400)
  })

  test('do not lock out the right secret from the same address', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    await guess(service, application, 12)

    const issued = await service.postForm('/oauth2/token', application, ISSUE)
    const { token } = issued.json()
    const refreshed = await service.postForm('/oauth2/token/refresh', application, {
      grant_type: 'refresh_token',
      token,
    })
    const invalidated = await service.postForm('/oauth2/token/invalidate', application, { token })

    assert.deepEqual([issued.status, refreshed.status, invalidated.status], [200, 200, 204])
  })

  test('respond 429 for all three token operations, and for any other application id', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    await guess(service, application, 10)

    for (const path of ['/oauth2/token', '/oauth2/token/refresh', '/oauth2/token/invalidate']) {
      const form = { grant_type: path.endsWith('refresh') ? 'refresh_token' : ISSUE.grant_type }
      const known = await service.postForm(path, wrong(application), { ...form, token: 'x' })
      const nobody = { appId: 'nobody', appSecret: 'x' }
      const unknown = await service.postForm(path, nobody, { ...form, token: 'x' })
      assert.deepEqual([known.status, unknown.status], [429, 429], path)
    }
  })

  test('keep responding 429 after failures of any number of other ids', async () => {
    const settings = { 'tokens.failuresPerMinute': 50 }
    await using service = await withService({ site: SITE, settings, now: () => 1e12 })
    const application = await service.createApplication()
    await guess(service, application, 60)

    const others = Array.from({ length: 300 }, (_, n) => ({ appId: `id ${n}`, appSecret: 'x' }))
    await Promise.all(others.map((one) => service.postForm('/oauth2/token', one, ISSUE)))

    assert.equal((await guess(service, application, 1))[0]?.status, 429)
    assert.equal((await service.postForm('/oauth2/token', application, ISSUE)).status, 200)
  })

  test('from one address do not affect other addresses', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    await guess(service, application, 10)
    const elsewhere = { localAddress: OTHER_ADDRESS }

    assert.equal((await issueFrom(service, wrong(application), elsewhere)).status, 400)
    assert.equal((await issueFrom(service, application, elsewhere)).status, 200)
  })

  test('of one application are counted over all addresses, with ten times the limit', async () => {
    const settings = { 'tokens.failuresPerMinute': 1 }
    await using service = await withService({ site: SITE, settings, now: () => 1e12 })
    const application = await service.createApplication()
    const statuses = []

    for (let host = 2; host < 14; host++) {
      const from = { localAddress: `127.0.0.${host}` }
      statuses.push((await issueFrom(service, wrong(application), from)).status)
    }

    assert.deepEqual(statuses, [...Array<number>(10).fill(400), 429, 429])
  })

  test('count for a forwarded address behind a trusted proxy, and only there', async () => {
    for (const [proxies, expected] of [
      [[], 429],
      [['127.0.0.1'], 400],
    ] as const) {
      const settings = { 'http.trustedProxies': [...proxies] }
      await using service = await withService({ site: SITE, settings })
      const application = await service.createApplication()
      await guess(service, application, 10)

      const response = await issueFrom(service, wrong(application), { forwarded: '198.51.100.7' })

      assert.equal(response.status, expected, `proxies: ${proxies.join()}`)
    }
  })

  test('with an unknown id and with a wrong secret have the same response', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()

    const secret = await service.postForm('/oauth2/token', wrong(application), ISSUE)
    const id = await service.postForm('/oauth2/token', { ...application, appId: 'nobody' }, ISSUE)

    assert.equal(secret.text, id.text)
    assert.equal(secret.status, id.status)
  })

  test('all get a response when more come at a time than may wait', async () => {
    await using service = await withService({ site: SITE, now: () => 1e12 })
    const application = await service.createApplication()
    await guess(service, application, 10)

    const responses = await Promise.all(
      Array.from({ length: 150 }, () =>
        service.postForm('/oauth2/token', wrong(application), ISSUE),
      ),
    )

    assert.ok(responses.every(({ status }) => status === 429))
  })
})

describe('wrong access tokens and ingest keys', () => {
  const settings = { 'access.failuresPerMinute': 5 }
  const UNKNOWN = '0f7a0e3c-2d0a-4a55-8a1f-9b6f3f0f6f52'

  test('respond 429 beyond the limit, and valid ones pass', async () => {
    await using service = await withService({ site: SITE, settings, now: () => 1e12 })
    const token = await service.issueToken()
    const key = await service.createKey()
    const statuses = []

    for (let n = 0; n < 5; n++) statuses.push((await carry(service, UNKNOWN)).status)
    const refused = await carry(service, UNKNOWN)
    const wrongKey = await service.ingest('theme', 'plk_wrong', { records: [] })

    assert.deepEqual(statuses, Array<number>(5).fill(401))
    assert.deepEqual([refused.status, wrongKey.status], [429, 429])
    assert.equal(refused.json().name, 'TooManyRequests')
    assert.equal(refused.headers['retry-after'], '12')
    assert.equal((await carry(service, token)).status, 200)
    assert.equal((await service.ingest('theme', key, { records: [] })).status, 200)
  })

  test('a request without a token or a key counts as no failure', async () => {
    await using service = await withService({ site: SITE, settings })

    for (let n = 0; n < 12; n++) {
      assert.equal((await service.call('/api/v1/structures')).status, 401)
      assert.equal((await service.call('/ingest/v1/theme', { method: 'POST' })).status, 401)
    }
  })

  test('all causes of a 401 have one text', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const expired = await service.issueToken()
    now += 31 * 86_400_000
    const application = await service.createApplication()
    const issue = async () =>
      (await service.postForm('/oauth2/token', application, ISSUE)).json().token as string
    const [invalidated, revoked] = [await issue(), await issue()]
    await service.postForm('/oauth2/token/invalidate', application, { token: invalidated })
    await service.storage.applications.revoke(application.appId, now)
    const key = await service.createKey()
    await service.storage.ingestKeys.revoke('test', now)

    const tokens = [UNKNOWN, 'no uuid', expired, invalidated, revoked]
    const responses = await Promise.all(tokens.map((token) => carry(service, token)))
    const keys = await Promise.all(
      [key, 'plk_unknown'].map((one) => service.ingest('theme', one, { records: [] })),
    )

    const texts = (list: typeof responses) => [
      ...new Set(list.map(({ status, text }) => `${status} ${text}`)),
    ]
    assert.deepEqual(texts(responses), [
      '401 {"name":"Unauthorized","message":"The access token is not valid."}',
    ])
    assert.deepEqual(texts(keys), [
      '401 {"name":"Unauthorized","message":"The ingest key is not valid."}',
    ])
    assert.equal(await service.storage.tokens.find(hashSecret(UNKNOWN)), undefined)
  })
})
