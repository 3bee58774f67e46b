import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hashSecret } from '../../src/domain/access/secret.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'
import { DAY, ISSUE } from './_tokens.ts'

const carry = (service: TestService, query: string, authorization?: string) =>
  service.call(`/api/v1/structures${query}`, {
    headers: authorization === undefined ? {} : { authorization },
  })

describe('an access token', () => {
  test('may be in the query, as Bearer, bare, in either case, and in both places', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken()

    for (const [query, authorization] of [
      [`?token=${token}`],
      [`?token=${token.toUpperCase()}`],
      ['', `Bearer ${token}`],
      ['', `bearer  ${token}`],
      ['', token],
      [`?token=${token}`, `Bearer ${token}`],
      [`?token=${token}&token=${token}`],
      ['?token=', token],
    ] as const)
      assert.equal(
        (await carry(service, query, authorization)).status,
        200,
        `${query} ${authorization}`,
      )
  })

  test('that differs between query and header is a 401, both valid or not', async () => {
    await using service = await withService({ site: SITE })
    const [one, two] = [await service.issueToken(), await service.issueToken()]

    for (const response of [
      await carry(service, `?token=${one}`, `Bearer ${two}`),
      await carry(service, `?token=${one}`, two),
      await carry(service, `?token=${one}&token=${two}`),
    ]) {
      assert.equal(response.status, 401)
      assert.equal(response.json().name, 'Unauthorized')
    }
  })

  test('that is missing, malformed, unknown or expired is a 401 that does not repeat it', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const token = await service.issueToken()
    now += 30 * DAY - 1
    assert.equal((await service.get('/structures', token)).status, 200)
    now += 1

    const messages = []
    for (const response of [
      await carry(service, ''),
      await carry(service, '?token=nonsense'),
      await carry(service, '?token=0f7a0e3c-2d0a-4a55-8a1f-9b6f3f0f6f52'),
      await carry(service, `?token=${token}`),
    ]) {
      assert.equal(response.status, 401)
      assert.equal(response.headers['www-authenticate'], 'Bearer')
      assert.equal(response.json().name, 'Unauthorized')
      assert.ok(!response.text.includes('nonsense') && !response.text.includes(token))
      messages.push(response.json().message)
    }
    assert.deepEqual(messages, [
      'The request carries no access token.',
      'The access token is not valid.',
      'The access token is not valid.',
      'The access token is not valid.',
    ])
  })

  test('is invalid once its application is revoked, and stays valid after a new secret', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()

    await service.storage.applications.changeSecret(application.appId, hashSecret('new'))
    assert.equal((await service.get('/structures', token)).status, 200)
    await service.storage.applications.revoke(application.appId, Date.now())

    assert.equal((await service.get('/structures', token)).status, 401)
    const issued = await service.postForm(
      '/oauth2/token',
      { ...application, appSecret: 'new' },
      ISSUE,
    )
    assert.equal(issued.status, 400)
  })
})
