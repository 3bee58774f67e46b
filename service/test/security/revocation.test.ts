import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { describe, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { afterCalls } from '../_after-calls.ts'
import { confirmedAt } from '../../src/domain/time/trusted-clock.ts'
import { hashSecret } from '../../src/domain/access/secret.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { eventually } from '../_eventually.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { IN_THE_CLEAR, TOPIC, withBroker } from '../ingest/_broker.ts'
import { payload, storedNumbers } from '../ingest/_messages.ts'

const DAY = 86_400_000
const ISSUE = { grant_type: 'client_credentials' }
const without = (user: RegExp) => SITE.replace(user, '')
const RIVER_OFFICE = /  - \{ id: 2, name: River office.*\n/

const events = ({ logged }: TestService): string[] =>
  logged.flatMap((line) => (JSON.parse(line) as { event?: string }).event ?? [])

describe('a revoked ingest key', () => {
  test('ends open MQTT sessions without their will, also when another process revoked it', async () => {
    const { service: started, port, password } = await withBroker(IN_THE_CLEAR)
    await using service = started
    const options = { username: 'x', reconnectPeriod: 0 }
    const url = `mqtt://127.0.0.1:${port}`
    const will = { topic: TOPIC, payload: Buffer.from(payload(9)), qos: 1 as const, retain: false }
    const revoked = await connectAsync(url, {
      ...options,
      password,
      will,
    })
    const other = await connectAsync(url, { ...options, password: await service.createKey('b') })
    await revoked.publishAsync(TOPIC, payload(1), { qos: 1 })
    const closed = new Promise<void>((resolve) => revoked.once('close', () => resolve()))

    {
      await using elsewhere = await openSqlite(service.folder)
      await elsewhere.ingestKeys.revoke('test', Date.now())
    }
    await closed

    await other.publishAsync(TOPIC, payload(2), { qos: 1 })
    assert.deepEqual(storedNumbers(service.folder), [1, 2])
    await eventually(() => assert.ok(events(service).includes('security.session-ended')))
    await revoked.endAsync(true)
    await other.endAsync()
  })

  test('ends a request whose body is still coming, and nothing of it is stored', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const sent = request(`${service.service.origin}/ingest/v1/theme`, {
      method: 'POST',
      ca: service.certificate,
      agent: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    const ended = new Promise<string>((resolve) => {
      sent.on('error', () => resolve('cut off'))
      sent.on('response', ({ statusCode }) => resolve(`answered ${statusCode}`))
    })

    sent.write('{"records":[')
    await new Promise((resolve) => setTimeout(resolve, 200))
    await service.storage.ingestKeys.revoke('test', Date.now())

    assert.equal(await ended, 'cut off')
    const line = service.logged.find((one) => one.includes('security.session-ended')) ?? '{}'
    const { from, key: name, method, route, reason } = JSON.parse(line) as Record<string, unknown>
    assert.deepEqual(
      { from, name, method, route, reason },
      {
        from: '127.0.0.1',
        name: 'test',
        method: 'POST',
        route: '/ingest/v1/theme',
        reason: 'revoked',
      },
    )
  })
})

describe('an invalidated token', () => {
  test('ends a long response under way', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()
    const { records } = service.storage
    // A first part of a response, and then nothing more before the token is invalidated.
    const more = Promise.withResolvers<void>()
    records.read = async function* () {
      yield Buffer.alloc(200_000, ' ')
      await more.promise
    }
    const sent = request(
      `${service.service.origin}/api/v1/stations/theme/data?stations=1001&limit=1&token=${token}`,
      { ca: service.certificate, agent: false },
    ).end()
    const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
    const ended = new Promise<string>((resolve) => {
      response.on('error', () => resolve('cut off'))
      response.on('end', () => resolve('whole'))
    })
    response.resume()

    await service.postForm('/oauth2/token/invalidate', application, { token })

    assert.equal(await ended, 'cut off')
    more.resolve()
  })
})

describe('an expired token', () => {
  test('stays expired when the clock is set back after it was refused', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const application = await service.createApplication()
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()
    now += 31 * DAY
    assert.equal((await service.get('/structures', token)).status, 401)
    now -= 30 * DAY

    const answer = await service.get('/structures', token)

    assert.equal(answer.status, 401)
    const refresh = { grant_type: 'refresh_token', token }
    const fresh = await service.postForm('/oauth2/token/refresh', application, refresh)
    assert.equal((await service.get('/structures', fresh.json().token)).status, 200)
  })

  test('stays expired by the regular job, without ever being refused', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({
      site: SITE,
      now: () => now,
      expireTokensMilliseconds: 20,
      // A month of running time: the clock is believed.
      monotonic: () => now,
      clockMilliseconds: 20,
    })
    const token = await service.issueToken()
    now += 31 * DAY
    await afterCalls(service.storage.tokens, 'deleteExpired')
    now -= 31 * DAY

    assert.equal((await service.get('/structures', token)).status, 401)
  })

  test('the regular job expires and deletes no token while the clock is far ahead', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({
      site: SITE,
      now: () => now,
      expireTokensMilliseconds: 20,
      monotonic: () => 0,
      clockMilliseconds: 20,
    })
    const { clock } = service.storage
    await eventually(async () => {
      const { version } = (await clock.read()) ?? { version: 0 }
      assert.ok(await clock.write(confirmedAt(now), version))
    })
    const token = await service.issueToken()
    now += 4000 * DAY
    await afterCalls(service.storage.tokens, 'deleteExpired')
    now -= 4000 * DAY

    assert.equal((await service.get('/structures', token)).status, 200)
  })

  test('a token issued while the clock was years ahead is refused when it is right again', async () => {
    let now = Date.UTC(2036, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const token = await service.issueToken()
    now = Date.UTC(2026, 3, 1)

    assert.equal((await service.get('/structures', token)).status, 401)
  })

  test('a clock that is set back by an hour leaves young tokens valid', async () => {
    let now = Date.UTC(2026, 3, 1)
    await using service = await withService({ site: SITE, now: () => now })
    const token = await service.issueToken()
    now -= 3_600_000

    assert.equal((await service.get('/structures', token)).status, 200)
  })
})

describe('a user dropped from the site file', () => {
  test('is removed with its applications and tokens, and the difference names them', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication(2)
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()
    const file = { text: without(RIVER_OFFICE), fileName: 'site.yaml' }

    const dry = await applySite(service.storage, file, { dryRun: true })
    assert.equal((await service.get('/structures', token)).status, 200)
    const lines = await applySite(service.storage, file)

    assert.deepEqual(dry, lines)
    assert.deepEqual(lines, [
      `! application ${application.appId} test and its tokens are revoked, because its user 2 is removed`,
      '- user 2 River office',
      '0 to add, 0 to change, 1 to remove',
    ])
    assert.equal((await service.get('/structures', token)).status, 401)
    assert.equal((await service.postForm('/oauth2/token', application, ISSUE)).status, 400)
  })

  test('gets no applications and tokens back when the file has it again', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication(2)
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()
    await applySite(service.storage, { text: without(RIVER_OFFICE), fileName: 'site.yaml' })

    const lines = await applySite(service.storage, { text: SITE, fileName: 'site.yaml' })

    assert.deepEqual(lines, ['+ user 2 River office', '1 to add, 0 to change, 0 to remove'])
    assert.equal((await service.get('/structures', token)).status, 401)
    assert.equal((await service.postForm('/oauth2/token', application, ISSUE)).status, 400)
    assert.equal((await service.get('/structures', await service.issueToken(2))).status, 200)
    const revoked = (await service.storage.applications.list()).map(
      ({ revokedAt }) => revokedAt !== null,
    )
    assert.deepEqual(revoked, [true, false])
  })

  test('an application that was added after its removal is revoked when it comes back', async () => {
    await using service = await withService({ site: without(RIVER_OFFICE) })
    const { applications } = service.storage
    const left = { id: 'left', userId: 2, name: 'old', scope: 'read', createdAt: 0 } as const
    await applications.add(left, hashSecret('secret'))

    const lines = await applySite(service.storage, { text: SITE, fileName: 'site.yaml' })
    const again = await applySite(service.storage, { text: SITE, fileName: 'site.yaml' })

    assert.deepEqual(lines, [
      '! application left old and its tokens are revoked, because its user 2 was removed',
      '+ user 2 River office',
      '1 to add, 0 to change, 0 to remove',
    ])
    assert.deepEqual(again, ['nothing to change'])
    assert.equal(await applications.find('left'), undefined)
  })

  test('is kept, with a note, where it reads structures of other files, unless all are removed', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken(2)
    const text = 'users: [{ id: 1, name: 管理员, structures: all }]'
    const file = { text, fileName: 'users.yaml' }

    const lines = await applySite(service.storage, file)
    assert.ok(lines.includes('note: user 2 is not in this file and keeps access to structures 2'))
    assert.equal((await service.get('/structures', token)).status, 200)
    const removed = await applySite(service.storage, file, { removeUsers: true })

    assert.ok(removed.includes('- user 2 River office'))
    assert.equal((await service.get('/structures', token)).status, 401)
  })

  test('is removed with all others where the list is empty', async () => {
    await using service = await withService({ site: SITE })
    const tokens = [await service.issueToken(1), await service.issueToken(2)]
    const text = SITE.replace(/users:\n(  - .*\n)+/, 'users: []\n')

    const lines = await applySite(service.storage, { text, fileName: 'site.yaml' })

    assert.deepEqual(lines.slice(2), [
      '- user 1 管理员',
      '- user 2 River office',
      '- user 3 Nobody',
      '0 to add, 0 to change, 3 to remove',
    ])
    for (const line of lines.slice(0, 2)) assert.match(line, /tokens are revoked, because its user/)
    for (const token of tokens) assert.equal((await service.get('/structures', token)).status, 401)
  })

  test('of other structures is kept under an empty list, with a note', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken(2)
    const file = { text: 'users: []', fileName: 'users.yaml' }

    const lines = await applySite(service.storage, file)

    assert.deepEqual(lines, [
      'note: user 1 is not in this file and keeps access to all structures',
      'note: user 2 is not in this file and keeps access to structures 2',
      'note: user 3 is not in this file and keeps access to no structures',
      'nothing to change',
    ])
    assert.equal((await service.get('/structures', token)).status, 200)
    await applySite(service.storage, file, { removeUsers: true })
    assert.equal((await service.get('/structures', token)).status, 401)
  })

  test('a file that declares no users keeps them all', async () => {
    await using service = await withService({ site: SITE })
    const text = SITE.replace(/users:\n(  - .*\n)+/, '')

    const lines = await applySite(service.storage, { text, fileName: 'site.yaml' })

    assert.deepEqual(lines, ['nothing to change'])
  })
})
