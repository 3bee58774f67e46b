import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { SECURITY_EVENTS } from '../../src/domain/access/security-events.ts'
import { SITE } from '../_site.ts'
import { freePort, withService, type TestService } from '../_service.ts'

const ISSUE = { grant_type: 'client_credentials' }

type Line = Record<string, unknown> & { event: string }

/** The security events of the log at info, without what every line has. */
const eventsOf = ({ logged }: TestService): Line[] =>
  logged
    .map((line) => JSON.parse(line) as Line & { level: number })
    .filter(({ event, level }) => event !== undefined && level === 30)
    .map(({ level: _l, time: _t, pid: _p, hostname: _h, msg: _m, ...line }) => line as Line)

const from = '127.0.0.1'

describe('security events', () => {
  test('name who logged in, from where, and the outcome', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication(2)
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()
    await service.postForm('/oauth2/token/invalidate', application, { token })
    await service.postForm('/oauth2/token', { ...application, appSecret: 'wrong one' }, ISSUE)
    await service.postForm('/oauth2/token', { appId: 'a secret typed here', appSecret: '' }, ISSUE)

    const who = { from, application: application.appId }
    const failed = { method: 'POST', route: '/api/v1/oauth2/token', reason: 'credentials' }
    assert.deepEqual(eventsOf(service), [
      { event: 'security.log-in', ...who, user: 2, action: 'issued' },
      { event: 'security.log-in', ...who, user: 2, action: 'invalidated' },
      { event: 'security.log-in-failed', ...who, ...failed },
      { event: 'security.log-in-failed', from, ...failed },
    ])
    for (const secret of [application.appSecret, token, 'wrong one', 'typed here'])
      assert.ok(!service.logged.join('').includes(secret))
  })

  test('distinguish refused tokens and keys by their reasons, and name refused access', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication(2)
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()
    const unknown = '0f7a0e3c-2d0a-4a55-8a1f-9b6f3f0f6f52'

    await service.get('/structures', unknown)
    await service.ingest('theme', 'plk_wrong', { records: [] })
    await service.get('/structures/1/factors', token)

    const [, ...events] = eventsOf(service)
    assert.deepEqual(events, [
      {
        event: 'security.token-refused',
        from,
        reason: 'unknown',
        method: 'GET',
        route: '/api/v1/structures',
      },
      {
        event: 'security.key-refused',
        from,
        reason: 'unknown or revoked',
        method: 'POST',
        route: '/ingest/v1/theme',
      },
      {
        event: 'security.access-refused',
        from,
        user: 2,
        application: application.appId,
        method: 'GET',
        route: events[2]!['route'],
        structures: [1],
      },
    ])
    for (const secret of [token, unknown, 'plk_'])
      assert.ok(!service.logged.join('').includes(secret))
  })

  test('name every management write with its user, application, structure and outcome, and no read', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const { token } = (await service.postForm('/oauth2/token', application, ISSUE)).json()
    const call = (method: string, path: string, body: object) =>
      service.call(`/manage/v1${path}?token=${token}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
      })

    await call('GET', '/deliveries', {})
    await call('POST', '/structures/1/factors/15/threshold/batches', { wrong: true })
    await call('POST', '/structures/1/factors/15/threshold/batches', { wrong: true })

    const writes = eventsOf(service).filter(({ event }) => event === 'security.write')
    assert.equal(writes.length, 2)
    assert.deepEqual(
      { ...writes[0], route: '' },
      {
        event: 'security.write',
        from,
        user: 1,
        application: application.appId,
        method: 'POST',
        route: '',
        structures: [1],
        status: 400,
      },
    )
    assert.match(String(writes[0]!['route']), /^\/manage\/v1\/structures\/:\w+\/factors\//)
    assert.ok(!service.logged.join('').includes(token))
  })

  test('of an attack do not fill the log: one line with a count, and the metric counts all', async () => {
    const port = await freePort()
    const settings = { 'ops.port': port, 'log.level': 'info', 'access.failuresPerMinute': 1000 }
    const service = await withService({ site: SITE, settings })
    {
      await using _ = service
      for (let n = 0; n < 40; n++) await service.get('/structures', 'nonsense')

      assert.equal(service.logged.filter((line) => line.includes('token-refused')).length, 1)
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      assert.match(
        metrics,
        /^plumbline_security_events_total\{event="security.token-refused"\} 40$/m,
      )
    }

    const last = service.logged.findLast((line) => line.includes('token-refused'))
    assert.match(last ?? '', /"more":39,.*And 39 more in the last minute\./)
  })

  test('are those that the documentation lists', () => {
    const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8')

    const listed = Array.from(page.matchAll(/^\| `(security\.[a-z-]+)` +\| (.+?) +\|$/gm))

    assert.deepEqual(
      listed.map(([, event, meaning]) => [event, meaning]),
      Object.entries(SECURITY_EVENTS).map(([event, { meaning }]) => [event, meaning]),
    )
  })
})
