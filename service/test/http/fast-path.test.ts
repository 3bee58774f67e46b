import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { SITE } from '../_site.ts'
import { withService, type HttpResponse, type TestService } from '../_service.ts'

const SHORT = '/api/v1/stations/theme/data'
/** The same path to Fastify, but not letter by letter. */
const LONG = '/api/v1/stations/theme//data'

/** Random requests carry more wrong tokens than an address may send. */
const MANY_TRIES = { 'seal.everyMinutes': 0, 'access.failuresPerMinute': 1_000_000 }

const UNKNOWN = '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11'

/** Log lines of responses. */
const responded = ({ logged }: TestService) =>
  logged
    .map((line) => JSON.parse(line) as { msg: string; route: string; status: number })
    .filter(({ msg }) => msg === 'request completed')
    .map(({ route, status }) => [route, status])

const parameters = (token: string) =>
  fc.record(
    {
      token: fc.oneof(
        { weight: 8, arbitrary: fc.constant(token) },
        { weight: 1, arbitrary: fc.constantFrom('', 'x', UNKNOWN, token.toUpperCase()) },
      ),
      stations: fc.constantFrom(
        '1001',
        '1001',
        ' 1001 ,1002,',
        '1002,1001',
        '',
        '9',
        '1001;',
        '3001',
      ),
      startTime: time(),
      endTime: time(),
      limit: fc.constantFrom('1', '3', '10000', '10001', '0', '', 'x'),
      display: fc.constantFrom('', 'true'),
    },
    { requiredKeys: ['token', 'stations'] },
  )

const time = () =>
  fc.constantFrom(
    '2026-01-01 00:00:00',
    '2026-01-01 23:59:59',
    ' 2026-01-03 00:00:00',
    '2026-02-30',
    '',
  )

const header = fc.record(
  {
    'accept-encoding': fc.constantFrom('gzip', 'gzip;q=0', 'br', '*'),
    authorization: fc.constantFrom(`Bearer ${UNKNOWN}`, 'Basic eDp5', 'Bearer'),
  },
  { requiredKeys: [] },
)

describe('the fast path', () => {
  let service: TestService
  let token: string
  before(async () => {
    service = await withService({ site: SITE, settings: MANY_TRIES })
    token = await service.issueToken()
    const key = await service.createKey()
    const records = [1001, 1002].flatMap((station) =>
      Array.from({ length: 40 }, (_, hour) => ({
        station,
        time: `2026-01-0${1 + Math.floor(hour / 24)} ${String(hour % 24).padStart(2, '0')}:30:00`,
        values: { strain: hour },
      })),
    )
    const sent = await service.ingest('theme', key, { records })
    assert.equal(sent.json().accepted, 80)
    const sealed = { start: 0, until: Date.UTC(2026, 0, 1, 12), zone: zone('UTC') }
    await service.storage.sealedDays.seal({ kind: 'theme', source: 1001, ...sealed })
  })
  after(() => service[Symbol.asyncDispose]())

  test('responds to every request as Fastify does, and is counted as often', async () => {
    let isResponded = 0
    await fc.assert(
      fc.asyncProperty(parameters(token), header, async (given, sent) => {
        const query = new URLSearchParams(given as Record<string, string>)
        const headers = sent as Record<string, string>

        const before = responded(service).length
        const short = await service.call(`${SHORT}?${query}`, { headers })
        const long = await service.call(`${LONG}?${query}`, { headers })

        assert.deepEqual(comparable(short), comparable(long))
        // A response is logged after it was sent, and the client may see it first.
        while (responded(service).length < before + 2) await setImmediate()
        const told = responded(service).slice(before)
        assert.equal(told.length, 2)
        assert.deepEqual(told[0], told[1])
        if (short.status === 200) isResponded++
      }),
      { numRuns: runs(300) },
    )
    assert.ok(isResponded > 0)
  })

  test('does not take requests of another method or HEAD', async () => {
    const path = `${SHORT}?stations=1001&limit=1&token=${token}`

    const head = await service.call(path, { method: 'HEAD' })
    const post = await service.call(path, { method: 'POST' })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(post.status, 404)
  })

  test('passes on what it refuses, and nothing else', async () => {
    const { tokens } = service.storage
    const find = tokens.find.bind(tokens)
    let looks = 0
    tokens.find = (hash) => {
      looks++
      return find(hash)
    }
    const looksFor = async (path: string, stations: string): Promise<number> => {
      looks = 0
      await service.call(`${path}?stations=${stations}&limit=1&token=${token}`)
      return looks
    }

    assert.equal(await looksFor(SHORT, '1001'), 1)
    assert.equal(await looksFor(SHORT, '9'), 2)
    assert.equal(await looksFor(LONG, '9'), 1)
  })

  test('ends with the token', async () => {
    const own = await service.createApplication()
    const issued = await service.postForm('/oauth2/token', own, {
      grant_type: 'client_credentials',
    })
    const { token: short } = issued.json<{ token: string }>()
    const path = `/stations/theme/data?stations=1001&limit=1`
    assert.equal((await service.get(path, short)).status, 200)

    await service.postForm('/oauth2/token/invalidate', own, { token: short })

    assert.equal((await service.get(path, short)).status, 401)
  })
})

const comparable = ({ status, headers, bytes }: HttpResponse) => {
  const { date: _date, ...others } = headers
  return { status, headers: others, body: bytes.toString('base64') }
}
