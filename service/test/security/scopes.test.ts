import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OPERATIONS, type AppScope, type Operation } from '@plumbline/contract'
import { addAccount, openSession } from '../_accounts.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const RANK: Readonly<Record<AppScope, number>> = { read: 0, operate: 1, admin: 2 }
const SCOPES = ['read', 'operate', 'admin'] as const
/** A response of events does not end by itself. */
const isStream = ({ produces }: Operation): boolean => produces === 'text/event-stream'

const BY_TOKEN = OPERATIONS.filter(({ config }) => config.access === 'token')

/** What needs more than `read`; every other operation with a token changes nothing that others see. */
const WRITES: Readonly<Record<string, AppScope>> = {
  addReadings: 'operate',
  markStation: 'operate',
  markSensor: 'operate',
  confirmAlarm: 'operate',
  confirmAlarms: 'operate',
  shelveAlarms: 'operate',
  unshelveAlarms: 'operate',
  putPortrait: 'admin',
  deletePortrait: 'admin',
  setPositions: 'admin',
  createThresholdBatch: 'operate',
  changeThresholdBatch: 'operate',
  deleteThresholdBatch: 'operate',
  replayRejects: 'operate',
  repairReject: 'operate',
  recompute: 'operate',
  addMaintenance: 'operate',
  endMaintenance: 'operate',
  sendTestMessage: 'operate',
  moveCamera: 'operate',
  stopCamera: 'operate',
  listCameraPresets: 'operate',
  saveCameraPreset: 'operate',
  goToCameraPreset: 'operate',
  removeCameraPreset: 'operate',
  startImport: 'operate',
  sendImportFile: 'operate',
  cancelImport: 'operate',
  dropRejects: 'admin',
  undoChange: 'admin',
  getSite: 'admin',
  planSite: 'admin',
  applySite: 'admin',
  getStatus: 'admin',
  listApplications: 'admin',
  createApplication: 'admin',
  changeApplicationScope: 'admin',
  renewApplicationSecret: 'admin',
  revokeApplication: 'admin',
  listKeys: 'admin',
  createKey: 'admin',
  revokeKey: 'admin',
  deleteRecords: 'admin',
  listSiteUsers: 'admin',
  listAccounts: 'admin',
  createAccount: 'admin',
  changeAccount: 'admin',
  resetAccount: 'admin',
  listAudit: 'admin',
  exportAudit: 'admin',
}

/** Sends an operation with a body that says nothing: all that matters is whether it is let in. */
function send(
  service: TestService,
  { method, base, url }: Operation,
  identity: Record<string, string>,
) {
  const path = `${base}${url.replaceAll(/:\w+/g, '1')}`
  return service.call(path, {
    method,
    headers: { ...identity, 'content-type': 'application/json' },
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
  })
}

/** The role of each scope. */
const ROLES = { read: 'viewer', operate: 'operator', admin: 'administrator' } as const

describe('the scope of an application or of a role', () => {
  let service: TestService
  const identities: { scope: AppScope; headers: Record<string, string>; who: string }[] = []

  before(async () => {
    service = await withService({ site: SITE })
    for (const scope of SCOPES) {
      const authorization = `Bearer ${await service.issueToken(1, scope)}`
      identities.push({ scope, headers: { authorization }, who: 'application ' })
      const role = ROLES[scope]
      const id = await addAccount(service.storage, { name: role, role, userId: 1 })
      const cookie = await openSession(service.storage, id)
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      identities.push({ scope, headers, who: `the account ${role}` })
    }
  })

  after(() => service[Symbol.asyncDispose]())

  test('is operate or admin for each operation that changes something, and read for all others', () => {
    const needed = BY_TOKEN.flatMap(({ operationId, config }) =>
      config.scope === 'read' ? [] : [[operationId, config.scope]],
    )

    assert.deepEqual(Object.fromEntries(needed), WRITES)
  })

  for (const scope of SCOPES)
    test(`${scope} lets in exactly the operations that it includes; a 403 names the other`, async () => {
      const ofScope = identities.filter((one) => one.scope === scope)
      assert.equal(ofScope.length, 2)
      const ending = BY_TOKEN.filter((operation) => !isStream(operation))
      const pairs = ending.flatMap((operation) => ofScope.map((one) => ({ operation, ...one })))
      for (const { operation, headers, who } of pairs) {
        const needed = operation.config.scope ?? 'admin'
        const { status, text } = await send(service, operation, headers)
        const isRefused = /needs the scope/.test(text)

        assert.equal(isRefused, RANK[scope] < RANK[needed], `${operation.operationId}: ${text}`)
        if (!isRefused) continue
        assert.equal(status, 403)
        const words = `"message":"This operation needs the scope \\"${needed}\\"; ${who}`
        assert.ok(text.includes(words), text)
        assert.ok(text.endsWith(`has the scope \\"${scope}\\"."}`), text)
      }
    })
})

test('a read application changes nothing: no threshold, no recomputation, no record of a logger', async () => {
  await using service = await withService({ site: SITE, now: () => Date.UTC(2026, 2, 2) })
  const record = { time: '2026-03-01 08:00:00', values: { strain: 1 } }
  await service.ingest('theme', await service.createKey(), {
    records: [{ station: 1001, ...record }],
  })
  const token = await service.issueToken(1, 'read')
  const post = (path: string, body: object) =>
    service.call(`/manage/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const batch = {
    stations: [1001],
    items: [{ item: 'strain', config: [{ thresholds: [{ level: 1, value: '(5,+)' }] }] }],
  }
  const window = { startTime: '2026-03-01 00:00:00', endTime: '2026-03-01 23:59:59' }

  const statuses = [
    await post('/stations/1001/readings', { records: [{ ...record, values: { strain: 9 } }] }),
    await post('/structures/1/factors/15/threshold/batches', { thresholds: batch }),
    await post('/structures/1/recompute', { ...window, commit: true }),
    await post('/records/delete', { station: 1001, ...window }),
    await post('/stations/1001/quality', { quality: 'bad', ...window }),
  ].map(({ status }) => status)

  assert.deepEqual(statuses, [403, 403, 403, 403, 403])
  const data = await service.get('/stations/theme/data?stations=1001&limit=9', token)
  assert.deepEqual(data.json().stations[0].data, [{ strain: 1, time: record.time }])
  const batches = await service.get('/structures/1/factors/15/threshold/batches', token)
  assert.equal(batches.json().length, 2)
  assert.deepEqual(await service.storage.changes.list(), [])
})

test('a scope that is changed holds for the tokens in use', async () => {
  await using service = await withService({ site: SITE })
  const { appId, appSecret } = await service.createApplication(1, 'read')
  const issued = await service.postForm(
    '/oauth2/token',
    { appId, appSecret },
    { grant_type: 'client_credentials' },
  )
  const { token } = issued.json()
  const drop = async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const call = { method: 'POST', headers, body: '{"ids":[1]}' }
    return (await service.call('/manage/v1/rejects/drop', call)).status
  }

  const asReader = await drop()
  await service.storage.applications.changeScope(appId, 'admin')
  const asAdmin = await drop()
  await service.storage.applications.changeScope(appId, 'operate')
  const asOperator = await drop()

  assert.deepEqual([asReader, asAdmin, asOperator], [403, 200, 403])
})

test('a refused write is in the security log with its application and address', async () => {
  await using service = await withService({ site: SITE })
  const token = await service.issueToken(1, 'read')

  await service.call('/manage/v1/rejects/drop', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })

  const lines = service.logged.map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const event of ['security.access-refused', 'security.write']) {
    const line = lines.find((one) => one['event'] === event)
    assert.deepEqual([line?.['from'], line?.['user']], ['127.0.0.1', 1])
    assert.match(String(line?.['application']), /^[0-9a-f-]{36}$/)
    assert.equal(line?.['route'], '/manage/v1/rejects/drop')
  }
})
