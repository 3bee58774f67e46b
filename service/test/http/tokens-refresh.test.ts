import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService } from '../_service.ts'
import { DAY, ISSUE } from './_tokens.ts'

const refreshing = (token: string) => ({ grant_type: 'refresh_token', token })

describe('refreshToken', () => {
  test('a token gives a new one with a new end, and stays valid until its own', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const application = await service.createApplication()
    const old = (await service.postForm('/oauth2/token', application, ISSUE)).json().token
    now += DAY

    const response = await service.postForm('/oauth2/token/refresh', application, refreshing(old))

    assert.equal(response.status, 200)
    assert.equal(response.json().expires_in, '2026-05-02T00:00:00.000Z')
    assert.notEqual(response.json().token, old)
    for (const token of [old, response.json().token])
      assert.equal((await service.get('/structures', token)).status, 200)
    now = Date.UTC(2026, 4, 1)
    assert.equal((await service.get('/structures', old)).status, 401)
    assert.equal((await service.get('/structures', response.json().token)).status, 200)
  })

  test('an expired token can be refreshed, in upper case as well', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const application = await service.createApplication()
    const old = (await service.postForm('/oauth2/token', application, ISSUE)).json().token
    now += 31 * DAY

    const response = await service.postForm(
      '/oauth2/token/refresh',
      application,
      refreshing(old.toUpperCase()),
    )

    assert.equal((await service.get('/structures', old)).status, 401)
    assert.equal(response.status, 200)
    assert.equal((await service.get('/structures', response.json().token)).status, 200)
  })

  test('an invalidated token cannot be refreshed, expired or not', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const application = await service.createApplication()
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()
    await service.postForm('/oauth2/token/invalidate', application, { token })

    for (const days of [0, 31]) {
      now += days * DAY
      const response = await service.postForm(
        '/oauth2/token/refresh',
        application,
        refreshing(token),
      )
      assert.equal(response.status, 400)
      assert.deepEqual(response.json(), {
        name: 'RequestError',
        message: 'Token refresh failed: the token was invalidated.',
      })
    }
  })

  test('an unknown, a foreign and a malformed token are refused with the same message', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const foreign = await service.issueToken()

    for (const token of [foreign, '0f7a0e3c-2d0a-4a55-8a1f-9b6f3f0f6f52', 'no uuid', '']) {
      const response = await service.postForm(
        '/oauth2/token/refresh',
        application,
        refreshing(token),
      )
      assert.equal(response.status, 400)
      assert.deepEqual(response.json(), {
        name: 'RequestError',
        message: 'Token refresh failed: the token is not one of this application.',
      })
    }
  })

  test('the grant must be refresh_token, and a token is required', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()

    const grant = await service.postForm('/oauth2/token/refresh', application, {
      ...refreshing('x'),
      grant_type: 'client_credentials',
    })
    const missing = await service.postForm('/oauth2/token/refresh', application, {
      grant_type: 'refresh_token',
    })

    assert.match(grant.json().message, /^Token refresh failed: .*"grant_type" must be/)
    assert.match(missing.json().message, /^Token refresh failed: .*"token" is missing/)
    assert.deepEqual([grant.status, missing.status], [400, 400])
  })
})

describe('invalidateToken', () => {
  test('a token is invalid at once: 204 without a body, then 401', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()

    const response = await service.postForm('/oauth2/token/invalidate', application, { token })

    assert.equal(response.status, 204)
    assert.equal(response.bytes.length, 0)
    assert.equal(response.headers['content-type'], undefined)
    const refused = await service.get('/structures', token)
    assert.equal(refused.status, 401)
    assert.deepEqual(refused.json(), {
      name: 'Unauthorized',
      message: 'The access token is not valid.',
    })
  })

  test('an unknown and a foreign token are a 204 as well, and nothing changes', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const foreign = await service.issueToken()

    for (const token of [foreign, '0f7a0e3c-2d0a-4a55-8a1f-9b6f3f0f6f52', 'no uuid']) {
      const response = await service.postForm('/oauth2/token/invalidate', application, { token })
      assert.equal(response.status, 204, token)
    }

    assert.equal((await service.get('/structures', foreign)).status, 200)
  })

  test('wrong credentials, a missing and an empty token are a 400 RequestError', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const token = await service.issueToken()

    const wrong = await service.postForm(
      '/oauth2/token/invalidate',
      { ...application, appSecret: 'wrong' },
      { token },
    )
    const missing = await service.postForm('/oauth2/token/invalidate', application, {})
    const empty = await service.postForm('/oauth2/token/invalidate', application, { token: '' })
    const blank = await service.postForm('/oauth2/token/invalidate', application, { token: ' ' })

    for (const response of [wrong, missing, empty, blank]) {
      assert.equal(response.status, 400)
      assert.equal(response.json().name, 'RequestError')
      assert.match(response.json().message, /^Token invalidation failed: /)
    }
    assert.match(empty.json().message, /"token" must be text that is not empty\.$/)
  })
})
