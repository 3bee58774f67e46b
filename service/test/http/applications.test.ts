import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { manageAs, type Manage } from './_manage.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'

let service: TestService
let call: Manage

before(async () => {
  service = await withService({ site: SITE })
  call = await manageAs(service)
})

after(() => service[Symbol.asyncDispose]())

const create = async (body: object) => (await call('POST', '/applications', body)).json()

const find = async (appId: string) =>
  (await call('GET', '/applications'))
    .json()
    .applications.find((one: { appId: string }) => one.appId === appId)

const issue = (credentials: { appId: string; appSecret: string }) =>
  service.postForm('/oauth2/token', credentials, { grant_type: 'client_credentials' })

describe('createApplication', () => {
  test('makes an application whose secret is in this response only', async () => {
    const made = await create({ userId: 2, name: 'River display' })
    const { createdAt, ...listed } = await find(made.appId)

    assert.equal((await issue(made)).status, 200)
    assert.ok(createdAt <= Date.now())
    assert.deepEqual(listed, {
      appId: made.appId,
      userId: 2,
      name: 'River display',
      scope: 'read',
      revokedAt: null,
    })
    assert.ok(!service.logged.join('\n').includes(made.appSecret))
  })

  test('refuses an unknown user with a 404', async () => {
    const { status, json } = await call('POST', '/applications', { userId: 99 })

    assert.equal(status, 404)
    assert.match(json().message, /no user 99/)
  })
})

describe('listApplications', () => {
  test('and its operations need the scope admin and access to all structures', async () => {
    const path = `/applications/${NOBODY}`
    for (const one of [await manageAs(service, 2), await manageAs(service, 1, 'operate')]) {
      assert.equal((await one('GET', '/applications')).status, 403)
      assert.equal((await one('POST', '/applications', { userId: 1 })).status, 403)
      assert.equal((await one('PUT', `${path}/scope`, { scope: 'admin' })).status, 403)
      assert.equal((await one('POST', `${path}/secret`)).status, 403)
      assert.equal((await one('POST', `${path}/revoke`)).status, 403)
    }
  })
})

describe('changeApplicationScope', () => {
  test('changes the scope, also for tokens in use', async () => {
    const made = await create({ userId: 1 })
    const token = (await issue(made)).json().token
    const list = () =>
      service.call('/manage/v1/keys', { headers: { authorization: `Bearer ${token}` } })

    const before = (await list()).status
    const changed = await call('PUT', `/applications/${made.appId}/scope`, { scope: 'admin' })
    const after = (await list()).status

    assert.deepEqual([before, changed.status, after], [403, 204, 200])
    assert.equal((await find(made.appId)).scope, 'admin')
    assert.equal(
      (await call('PUT', `/applications/${NOBODY}/scope`, { scope: 'read' })).status,
      404,
    )
  })
})

describe('renewApplicationSecret', () => {
  test('replaces the secret', async () => {
    const made = await create({ userId: 1 })
    const renewed = (await call('POST', `/applications/${made.appId}/secret`)).json()

    assert.notEqual(renewed.appSecret, made.appSecret)
    assert.equal((await issue(renewed)).status, 200)
    assert.notEqual((await issue(made)).status, 200)
    assert.equal((await call('POST', `/applications/${NOBODY}/secret`)).status, 404)
  })
})

describe('revokeApplication', () => {
  test('revokes it with its tokens', async () => {
    const made = await create({ userId: 1 })
    const token = (await issue(made)).json().token

    const revoked = await call('POST', `/applications/${made.appId}/revoke`)
    const again = await call('POST', `/applications/${made.appId}/revoke`)

    assert.deepEqual([revoked.status, again.status], [204, 404])
    assert.equal((await service.get('/structures', token)).status, 401)
    assert.ok((await find(made.appId)).revokedAt > 0)
  })
})
