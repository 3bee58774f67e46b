import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AuditLine } from '@plumbline/contract'
import { addAccount, fromPage, openSession } from '../_accounts.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const NEW_APP = { userId: 1, name: 'map', scope: 'read' }

let service: TestService
let cookie: string

before(async () => {
  service = await withService({ site: SITE })
  const root = { name: 'root', role: 'administrator', userId: null } as const
  cookie = await openSession(service.storage, await addAccount(service.storage, root))
  const create = { name: 'anna', displayName: '=1+1', role: 'viewer', userId: 1 }
  await send('POST', '/accounts', create)
  await send('POST', '/accounts', { ...create, userId: 99 })
  await send('POST', '/rejects/drop', { ids: [7] })
})

after(() => service[Symbol.asyncDispose]())

const send = (method: string, path: string, body?: unknown, by = cookie) =>
  service.call(`/manage/v1${path}`, fromPage(method, body, by))

const list = async (query = ''): Promise<AuditLine[]> =>
  (await send('GET', `/audit${query}`)).json().lines

const newest = async () => (await list('?limit=1'))[0]

const numbers = async (query: string) => (await list(query)).map(({ seq }) => seq)

describe('listAudit', () => {
  test('says who changed what, newest first, with what is there now and how it ended', async () => {
    const [dropped, refused, created, ...rest] = await list()

    assert.deepEqual(rest, [])
    assert.deepEqual([dropped?.operation, dropped?.outcome], ['dropRejects', 'done'])
    assert.deepEqual(dropped?.after, { ids: [7] })
    assert.deepEqual([refused?.operation, refused?.outcome], ['createAccount', '400 FindError'])
    assert.deepEqual(
      [created?.seq, created?.who, created?.address, created?.target, created?.before],
      [1, { kind: 'account', name: 'root' }, '127.0.0.1', 'account=anna', null],
    )
    const { name, displayName, role } = (created?.after ?? {}) as Record<string, unknown>
    assert.deepEqual([name, displayName, role], ['anna', '=1+1', 'viewer'])
  })

  test('takes filters and pages', async () => {
    assert.deepEqual(await numbers('?operation=createAccount'), [2, 1])
    assert.deepEqual(await numbers('?target=account%3Dann'), [1])
    assert.deepEqual(await numbers('?who=nobody'), [])
    assert.deepEqual(await numbers('?limit=1'), [3])
    assert.deepEqual(await numbers('?before=3&limit=1'), [2])
    assert.deepEqual(await numbers(`?startTime=${Date.now() + 60_000}`), [])
    assert.deepEqual(await numbers(`?endTime=${Date.now()}&who=root`), [3, 2, 1])
  })

  test('is refused to an administrator who does not see every structure', async () => {
    const token = await service.issueToken(2, 'admin')

    assert.equal((await service.call(`/manage/v1/audit?token=${token}`)).status, 403)
  })
})

describe('exportAudit', () => {
  test('is CSV that no spreadsheet takes for formulas', async () => {
    const answer = await send('GET', '/audit/csv?operation=createAccount')

    assert.equal(answer.headers['content-disposition'], 'attachment; filename="audit.csv"')
    const lines: string[] = answer.text.trimEnd().split('\r\n')
    assert.equal(lines.length, 3)
    assert.ok(answer.text.startsWith('"seq","time","kind","who"'), answer.text)
    assert.match(lines[2] ?? '', /^"1","\d{4}-.*Z","account","root","127.0.0.1","createAccount",/)
    for (const line of lines) assert.doesNotMatch(line, /(^|,)"[=+@-]/)
  })
})

describe('a line of the audit log', () => {
  test('names what the body or the response names', async () => {
    await send('POST', '/rejects/drop', { ids: [7, 8] })
    assert.equal((await newest())?.target, 'ids=7,8')
    const many = Array.from({ length: 25 }, (_, index) => index + 1)
    await send('POST', '/rejects/drop', { ids: many })
    assert.equal((await newest())?.target, `ids=${many.slice(0, 20).join(',')} and 5 more`)

    const created = await send('POST', '/applications', NEW_APP)
    assert.equal((await newest())?.target, `userId=1 name=map appId=${created.json().appId}`)
    const span = { startsAt: Date.now(), endsAt: Date.now() + 60_000, reason: 'Painting' }
    const window = await send('POST', '/maintenance', { structures: [1], ...span })
    assert.equal(window.status, 200, window.text)
    assert.equal((await newest())?.target, `structures=1 windowId=${window.json().id}`)
  })

  test('is left by an attempt that the role does not allow, up to 20 in an hour', async () => {
    const viewer = { name: 'vera', role: 'viewer', userId: 1 } as const
    const by = await openSession(service.storage, await addAccount(service.storage, viewer))
    const { seq: last = 0 } = (await newest()) ?? {}

    for (let n = 0; n < 25; n++) {
      const refused = await send('POST', '/alarms/5/confirm', { comment: 'no' }, by)
      assert.equal(refused.status, 403)
    }

    const lines = await list('?who=vera')
    assert.equal(lines.length, 20)
    assert.deepEqual(
      lines.map(({ operation, target, outcome }) => [operation, target, outcome])[0],
      ['confirmAlarm', 'alarmId=5', '403 Forbidden'],
    )
    assert.equal(lines.at(-1)?.seq, last + 1)
  })

  test('has no long value of what was refused', async () => {
    const structures = Array.from({ length: 300 }, (_, index) => 1000 + index)
    const span = { startsAt: Date.now(), endsAt: Date.now() + 60_000, reason: 'Painting' }
    const refused = await send('POST', '/maintenance', { structures, ...span })

    const line = await newest()
    assert.ok(refused.status >= 400)
    assert.equal(line?.outcome, `${refused.status} ${refused.json().name}`)
    assert.deepEqual(Object.keys(line?.after ?? {}), ['characters', 'sha256'])
  })

  test('is left by changes that are refused, up to 20 with 403 and 100 with others in an hour', async () => {
    const narrow = { name: 'ned', role: 'administrator', userId: 2 } as const
    const by = await openSession(service.storage, await addAccount(service.storage, narrow))
    const comment = 'seen'

    for (let n = 0; n < 22; n++)
      assert.equal((await send('POST', '/applications', NEW_APP, by)).status, 403)
    for (let n = 0; n < 102; n++)
      assert.equal((await send('POST', '/alarms/999/confirm', { comment }, by)).status, 404)

    const outcomes = (await list('?who=ned&limit=1000')).map(({ outcome }) => outcome)
    const counts = Map.groupBy(outcomes, (outcome) => outcome.slice(0, 3))
    assert.deepEqual([counts.get('403')?.length, counts.get('404')?.length], [20, 100])
    assert.equal(await service.storage.audit.closeAbandoned(Date.now() + 1), 0)
    const warned = service.logged.filter((line) => line.includes('"name":"ned"'))
    assert.equal(warned.filter((line) => /leave no line in the audit log/.test(line)).length, 2)
  })
})
