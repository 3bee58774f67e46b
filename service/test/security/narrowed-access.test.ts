import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { describe, test } from 'node:test'
import { applySite } from '../../src/site/apply/apply.ts'
import { eventually } from '../_eventually.ts'
import { withService, type Call, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const NARROWED = SITE.replace('structures: all', 'structures: [1]')

const narrow = ({ storage }: TestService) =>
  applySite(storage, { text: NARROWED, fileName: 'site.yaml' })

/** Station values come in two parts, the second when it is said. */
function holdResponses({ storage: { records } }: TestService) {
  const more = Promise.withResolvers<void>()
  records.read = async function* () {
    yield Buffer.alloc(200_000, ' ')
    await more.promise
  }
  return { goOn: () => more.resolve() }
}

/** A response of which the first part has arrived. */
async function begin(
  { service, certificate }: TestService,
  token: string,
  { station, ...call }: { station: number } & Call,
) {
  const sent = request(
    `${service.origin}/api/v1/stations/theme/data?stations=${station}&limit=1&token=${token}`,
    { ca: certificate, agent: false, ...call },
  ).end()
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream]
  const ended = new Promise<string>((resolve) => {
    response.on('error', () => resolve('cut off'))
    response.on('end', () => resolve('whole'))
  })
  await once(response.resume(), 'data')
  return { ended }
}

const ends = ({ logged }: TestService): Record<string, unknown>[] =>
  logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'security.session-ended')

/** The quick way of station values, and that of all other requests. */
const WAYS = [{}, { headers: { 'content-length': '0' } }]

describe('a user whose access is narrowed', () => {
  for (const [at, way] of WAYS.entries())
    test(`loses responses of other structures under way, and keeps those of its own (${at})`, async () => {
      await using service = await withService({ site: SITE, settings: { 'log.level': 'info' } })
      const application = await service.createApplication()
      const answer = await service.postForm('/oauth2/token', application, {
        grant_type: 'client_credentials',
      })
      const { token } = answer.json()
      const { goOn } = holdResponses(service)
      const own = await begin(service, token, { station: 1001, ...way })
      const others = await begin(service, token, { station: 2001, ...way })

      await narrow(service)

      assert.equal(await others.ended, 'cut off')
      goOn()
      assert.equal(await own.ended, 'whole')
      const [event, ...more] = ends(service)
      assert.deepEqual(more, [])
      const { from, user, application: id, method, route, structures, reason } = event!
      assert.deepEqual(
        { from, user, id, method, route, structures, reason },
        {
          from: '127.0.0.1',
          user: 1,
          id: application.appId,
          method: 'GET',
          route: '/api/v1/stations/theme/data',
          structures: [2],
          reason: 'access narrowed',
        },
      )
    })

  test('loses responses about all its structures', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken()
    const begun = Promise.withResolvers<void>()
    const counted = Promise.withResolvers<number>()
    service.storage.alarms.count = () => {
      begun.resolve()
      return counted.promise
    }
    const answer = service.get('/users/1/alarms/new/count', token)
    await begun.promise

    await narrow(service)

    await assert.rejects(answer)
    counted.resolve(0)
  })

  test('is refused a write whose body is still coming', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken()
    const { goOn } = holdResponses(service)
    const body = JSON.stringify({
      station: 2001,
      startTime: '2026-01-01 00:00:00',
      endTime: '2026-01-02 00:00:00',
      dryRun: true,
    })
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const write = request(`${service.service.origin}/manage/v1/records/delete?token=${token}`, {
      method: 'POST',
      ca: service.certificate,
      agent: false,
      headers,
    })
    write.write(body.slice(0, 10))
    const witness = await begin(service, token, { station: 2001 })
    await narrow(service)
    await witness.ended

    write.end(body.slice(10))

    const [{ statusCode }] = (await once(write, 'response')) as [{ statusCode: number }]
    assert.equal(statusCode, 403)
    goOn()
  })

  test('loses a write under way with the scope for it, and keeps its reads', async () => {
    await using service = await withService({ site: SITE })
    const application = await service.createApplication()
    const answer = await service.postForm('/oauth2/token', application, {
      grant_type: 'client_credentials',
    })
    const { token } = answer.json()
    const { goOn } = holdResponses(service)
    const write = request(`${service.service.origin}/manage/v1/rejects/drop?token=${token}`, {
      method: 'POST',
      ca: service.certificate,
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': 11,
        expect: '100-continue',
      },
    })
    write.flushHeaders()
    await once(write, 'continue')
    const broken = once(write, 'error')
    write.write('{"ids"')
    const read = await begin(service, token, { station: 1001 })

    await service.storage.applications.changeScope(application.appId, 'operate')

    await broken
    goOn()
    assert.equal(await read.ended, 'whole')
    const found = ends(service).map(({ route, reason }) => [route, reason])
    assert.deepEqual(found, [['/manage/v1/rejects/drop', 'scope narrowed']])
  })

  test('is logged with the address that a trusted proxy forwards', async () => {
    const settings = { 'http.trustedProxies': ['127.0.0.1'] }
    await using service = await withService({ site: SITE, settings })
    const token = await service.issueToken()
    const { goOn } = holdResponses(service)
    const headers = { 'x-forwarded-for': '198.51.100.9, 203.0.113.7' }
    const { ended } = await begin(service, token, { station: 2001, headers })

    await narrow(service)
    await ended

    await eventually(() => assert.equal(ends(service)[0]?.['from'], '203.0.113.7'))
    goOn()
  })
})
