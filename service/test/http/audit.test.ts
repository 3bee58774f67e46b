import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AuditLine } from '@plumbline/contract'
import { addAccount, fromPage, openSession } from '../_accounts.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

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
    assert.deepEqual(await numbers('?target=ann'), [1])
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
