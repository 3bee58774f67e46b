import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { OPERATIONS, type Operation } from '@plumbline/contract'
import { pino } from 'pino'
import { IsSchema } from 'typebox/schema'
import { Commits } from '../../src/commit/commits.ts'
import { StationDerivation } from '../../src/derivation/station-derivation.ts'
import { RecordIngest } from '../../src/ingest/record-ingest.ts'
import { IngestClock } from '../../src/ingest/records/ingest-clock.ts'
import { openAccess } from '../../src/startup/open-access.ts'
import { resolveConfig } from '../../src/config/config.ts'
import { buildApp } from '../../src/http/app.ts'
import { BodyBudget } from '../../src/http/requests/bodies/body-budget.ts'
import { readCertificate } from '../../src/http/security/certificate.ts'
import { compilePointMappings } from '../../src/ingest/line-protocol/point-mapping.ts'
import { RequestCounts } from '../../src/ingest/rejects/request-counts.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const replay = async () => ({})

type Parameter = { name: string; in: string; required?: boolean; schema: Record<string, unknown> }
type Media = Record<string, { schema: Record<string, unknown> }>
type Documented = {
  operationId: string
  summary: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Media }
  security: Record<string, string[]>[]
  responses: Record<string, { description: string; content?: Media }>
}
type OpenApi = {
  openapi: string
  info: Record<string, unknown>
  components: { securitySchemes: Record<string, { type: string }> }
  paths: Record<string, Record<string, Documented>>
}

let service: TestService
let document: OpenApi

before(async () => {
  service = await withService({ site: SITE })
  document = (await service.call('/openapi.json')).json()
})

after(() => service[Symbol.asyncDispose]())

const pathOf = ({ base, url }: Operation): string => `${base}${url.replaceAll(/:(\w+)/g, '{$1}')}`

const placeOf = (operation: Operation): string => `${operation.method} ${pathOf(operation)}`

const documented = (): { place: string; operation: Documented }[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      place: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )

const find = (operation: Operation): Documented => {
  const found = documented().find(({ place }) => place === placeOf(operation))
  assert.ok(found, `${placeOf(operation)} is not documented`)
  return found.operation
}

/** Routes share the place of a parameter, so its name is no matter. */
const withoutNames = (place: string): string => place.replaceAll(/:[\w|:]+/g, ':id')

/** Every route of an application that is built as the service builds it; HEAD goes with GET. */
async function listRoutes(): Promise<string[]> {
  const { certificateFile } = service.service
  const log = pino({ level: 'silent' })
  const commits = Commits.open({ storage: service.storage, now: Date.now })
  const app = await buildApp({
    storage: service.storage,
    catalogue: openCatalogue(service.storage.site),
    access: openAccess({
      config: resolveConfig({ flags: {}, environment: {} }),
      log,
      now: Date.now,
    }),
    ingest: RecordIngest.open({
      storage: service.storage,
      clock: new IngestClock({ now: Date.now }),
    }),
    commits,
    derivation: new StationDerivation({ data: service.storage.records, commits }),
    certificate: await readCertificate({
      certificate: certificateFile,
      key: join(dirname(certificateFile), 'key.pem'),
    }),
    media: { addresses: { hls: '', rtmp: '', flv: '' }, secret: new Uint8Array(32) },
    log,
    limits: {
      requestTimeoutSeconds: 9,
      handshakeSeconds: 10,
      stalledSeconds: 60,
      maxBodyBytes: 1024,
      bodies: {
        budget: new BodyBudget({ bytes: 2 ** 20 }),
        ratio: 200,
        json: { depth: 32, members: 1000 },
      },
      tokenLifetimeSeconds: 60,
      failuresPerMinute: 10,
      connections: { connections: 100, connectionsPerAddress: 100 },
      cacheBytes: 0,
      analysisSamples: 1000,
    },
    sources: {
      readPoint: compilePointMappings([]),
      rejects: { add: async () => {} },
      requests: new RequestCounts(log),
      replays: { mqtt: replay, broker: replay, influx: replay, file: replay },
    },
    notifications: { channels: new Map(), states: async () => [] },
    trustedProxies: [],
    hstsSeconds: 0,
    now: Date.now,
  })
  await app.ready()
  const tree = app.printRoutes({ commonPrefix: false })
  await app.close()

  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, lead, part = '', methods] = /^([│├└─\s]*)(\S+)(?: \((.+)\))?$/.exec(line) ?? []
    if (lead === undefined) return []
    const depth = lead.length / 4
    const path = `${parents[depth - 1] ?? ''}${part}`
    parents[depth] = path
    const names = methods?.split(', ').filter((method) => method !== 'HEAD') ?? []
    return names.map((method) => `${method} ${path}`)
  })
}

describe('routes', () => {
  test('every operation has its route: a stranger’s call reaches it', async () => {
    for (const operation of OPERATIONS) {
      const path = `${operation.base}${operation.url.replaceAll(/:\w+/g, '1')}`
      const answer = await service.call(path, { method: operation.method })
      const expected = operation.config.access === 'credentials' ? 400 : 401
      assert.equal(answer.status, expected, operation.operationId)
    }
  })

  test('every route is an operation, or one of the few that need no token', async () => {
    const routes = await listRoutes()

    const operations = OPERATIONS.map(({ method, base, url }) => `${method} ${base}${url}`)
    const open = ['/docs', '/docs/js/scalar.js', '/docs/js/start.js', '/openapi.json'].map(
      (path) => `GET ${path}`,
    )
    assert.deepEqual(
      routes.map(withoutNames).toSorted(),
      [...operations, ...open].map(withoutNames).toSorted(),
    )
  })
})

describe('tests', () => {
  const folder = fileURLToPath(new URL('../http/', import.meta.url))
  const titles = globSync('*.test.ts', { cwd: folder }).flatMap((file) =>
    Array.from(
      readFileSync(`${folder}${file}`, 'utf8').matchAll(/\bdescribe\('(\w+)', /g),
      ([, title]) => ({ file, title }),
    ),
  )

  test('every operation has its tests, in the file of its noun', () => {
    for (const { operationId, noun } of OPERATIONS)
      assert.ok(
        titles.some(({ file, title }) => title === operationId && file === `${noun}.test.ts`),
        `${noun}.test.ts does not describe ${operationId}`,
      )
  })

  test('every group of tests that is named like an operation is one', () => {
    const known = new Set(OPERATIONS.map(({ operationId }) => operationId))
    const unknown = titles.filter(({ title = '' }) => /[a-z][A-Z]/.test(title) && !known.has(title))

    assert.deepEqual(unknown, [])
  })
})

describe('/openapi.json', () => {
  test('is OpenAPI 3.1 and has every operation, and nothing else', () => {
    assert.equal(document.openapi, '3.1.0')
    assert.deepEqual(Object.keys(document.info).toSorted(), [
      'description',
      'license',
      'title',
      'version',
    ])
    assert.deepEqual(
      documented()
        .map(({ place, operation }) => `${place} ${operation.operationId}`)
        .toSorted(),
      OPERATIONS.map((one) => `${placeOf(one)} ${one.operationId}`).toSorted(),
    )
    for (const operation of OPERATIONS) {
      const { summary, tags } = find(operation)
      assert.deepEqual([summary, tags], [operation.summary, [operation.noun]])
    }
  })

  test('has every parameter in its place; what has a default may be left out', () => {
    for (const operation of OPERATIONS) {
      const expected = (['params', 'querystring'] as const).flatMap((part) => {
        const schema = operation.schema[part] as
          { properties: Record<string, { default?: unknown }>; required?: string[] } | undefined
        return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
          const isNeeded = schema?.required?.includes(name) === true
          const place = part === 'params' ? 'path' : 'query'
          return [place, name, isNeeded && property.default === undefined]
        })
      })
      const given = find(operation).parameters ?? []
      assert.deepEqual(
        given.map((one) => [one.in, one.name, one.required === true]).toSorted(),
        expected.toSorted(),
        operation.operationId,
      )
      const inPath = Array.from(pathOf(operation).matchAll(/\{(\w+)\}/g), ([, name]) => name)
      assert.deepEqual(
        given
          .filter((one) => one.in === 'path')
          .map(({ name }) => name)
          .toSorted(),
        inPath.toSorted(),
      )
    }
  })

  test('has every body with its media types and members', () => {
    for (const operation of OPERATIONS) {
      const { requestBody } = find(operation)
      const { body, consumes = ['application/json'] } = { ...operation, ...operation.schema }
      if (body === undefined) {
        assert.equal(requestBody, undefined, operation.operationId)
        continue
      }
      assert.deepEqual(Object.keys(requestBody?.content ?? {}), [...consumes])
      assert.equal(requestBody?.required, !('~optional' in body), operation.operationId)
      const { properties, plain } = body as unknown as { properties: object; plain?: string }
      for (const [type, { schema }] of Object.entries(requestBody?.content ?? {}))
        if (plain !== undefined) assert.equal(schema['type'], 'string')
        else if (type === 'application/octet-stream')
          assert.deepEqual(schema, { type: 'string', format: 'binary' })
        else assert.deepEqual(Object.keys(schema['properties'] as object), Object.keys(properties))
    }
  })

  test('has the answers of every operation, and no body for a 204', () => {
    for (const operation of OPERATIONS) {
      const { responses } = find(operation)
      const statuses = [...Object.keys(operation.schema.response), '4XX']
      assert.deepEqual(Object.keys(responses).toSorted(), statuses.toSorted())
      assert.equal(responses['204']?.content, undefined)
      for (const [status, { description, content }] of Object.entries(responses)) {
        assert.ok(description.length > 0)
        if (status !== '204') assert.deepEqual(Object.keys(content ?? {}), ['application/json'])
      }
    }
  })

  test('says how each operation is asked, by schemes that it has', () => {
    const schemes = Object.keys(document.components.securitySchemes)
    for (const operation of OPERATIONS) {
      const { security } = find(operation)
      const used = security.flatMap((one) => Object.keys(one))
      assert.ok(used.length > 0 && used.every((name) => schemes.includes(name)))
    }
  })

  test('has schemas of JSON Schema 2020-12 only, with no word of our own', () => {
    const own: string[] = []
    const look = (place: string, schema: unknown): void => {
      if (Array.isArray(schema)) return schema.forEach((one, at) => look(`${place}/${at}`, one))
      if (typeof schema !== 'object' || schema === null) return
      for (const [key, value] of Object.entries(schema)) {
        if (key === 'properties' || key === 'patternProperties')
          for (const [name, one] of Object.entries(value as object)) look(`${place}/${name}`, one)
        else if (['items', 'anyOf', 'additionalProperties'].includes(key)) look(place, value)
        else if (!KEYWORDS.has(key)) own.push(`${place} ${key}`)
        if (key === 'type' && !TYPES.has(String(value))) own.push(`${place} type ${String(value)}`)
      }
    }
    for (const { operation } of documented()) {
      for (const { name, schema } of operation.parameters ?? [])
        look(`${operation.operationId}?${name}`, schema)
      const bodies = [operation.requestBody, ...Object.values(operation.responses)]
      for (const { schema } of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
        assert.ok(IsSchema(schema), operation.operationId)
        look(operation.operationId, schema)
      }
    }

    assert.deepEqual(own, [])
  })
})

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

const KEYWORDS = new Set(
  `type const enum required description title default examples format pattern minimum exclusiveMinimum maximum
  minLength maxLength minItems maxItems uniqueItems`.split(/\s+/),
)

describe('/docs', () => {
  test('is a page without a token, whose policy forbids everything outside', async () => {
    const moved = await service.call('/docs')
    const page = await service.call('/docs/')

    assert.ok([200, 302].includes(moved.status))
    assert.equal(page.status, 200)
    assert.match(String(page.headers['content-type']), /^text\/html/)
    const policy = new Map(
      String(page.headers['content-security-policy'])
        .split(';')
        .map((part) => part.trim().split(/\s+/))
        .map(([name = '', ...sources]) => [name, sources]),
    )
    assert.deepEqual(policy.get('default-src'), ["'none'"])
    for (const [name, allowed] of policy)
      for (const source of allowed)
        assert.match(source, /^('none'|'self'|'unsafe-inline'|data:)$/, `${name} ${source}`)
    assert.deepEqual(policy.get('connect-src'), ["'self'"])
    assert.deepEqual(policy.get('script-src'), ["'self'"])
  })

  test('loads its script and the document from here, and names nothing outside to load', async () => {
    const page = await service.call('/docs/')
    const loaded = Array.from(page.text.matchAll(/\b(?:src|href)="([^"]+)"/g), ([, url]) => url!)

    assert.ok(loaded.length > 0)
    for (const url of loaded) {
      const { pathname, origin } = new URL(url, `${service.service.origin}/docs/`)
      assert.equal(origin, service.service.origin, url)
      assert.equal((await service.call(pathname)).status, 200, url)
    }
    assert.doesNotMatch(page.text, /<script(?![^>]* src=)|\son\w+=|javascript:/i)
    assert.ok((await service.call('/docs/js/start.js')).text.includes('/openapi.json'))
  })
})
