import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { OPERATIONS, type Operation } from '@plumbline/contract'
import type { FastifyInstance } from 'fastify'
import { IsSchema } from 'typebox/schema'
import { referenceExamples } from '../../../scripts/reference-examples.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'
import { textOf } from './_pages.ts'

type Parameter = {
  name: string
  in: string
  required?: boolean
  example?: unknown
  schema: Record<string, unknown>
}
type Media = Record<string, { schema: Record<string, unknown>; example?: unknown }>
type Documented = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Media }
  security: Record<string, string[]>[]
  responses: Record<string, { description: string; content?: Media }>
}
type OpenApi = {
  openapi: string
  info: Record<string, unknown>
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  components: { securitySchemes: Record<string, { type: string }> }
  paths: Record<string, Record<string, Documented>>
}

let service: TestService
let document: OpenApi

/** Every route of the interface's application; HEAD goes with GET. */
const routes: string[] = []

function collectRoutes(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance }
  // The port for operators has an application of its own, without TLS.
  if (fastify.initialConfig.https === undefined) return
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'HEAD') routes.push(`${one} ${url}`)
  })
}

before(async () => {
  subscribe('fastify.initialization', collectRoutes)
  service = await withService({ site: SITE })
  unsubscribe('fastify.initialization', collectRoutes)
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

describe('routes', () => {
  test('every operation has its route: a stranger’s call reaches it', async () => {
    for (const operation of OPERATIONS) {
      const path = `${operation.base}${operation.url.replaceAll(/:\w+/g, '1')}`
      const { status } = await service.call(path, { method: operation.method })
      const file = `service/src/http/routes/${operation.noun}.ts`
      assert.notEqual(status, 404, `no route serves ${placeOf(operation)}, expected one in ${file}`)
      const { access } = operation.config
      const expected = access === 'credentials' || access === 'body' ? 400 : 401
      assert.equal(status, expected, `${placeOf(operation)} without a token`)
    }
  })

  test('every route is an operation, or one of the few that need no token', () => {
    const operations = OPERATIONS.map(({ method, base, url }) => `${method} ${base}${url}`)
    const reference = ['/docs', '/docs/js/scalar.js', '/docs/js/start.js', '/openapi.json']
    const open = ['/', '/console', '/console/assets/:name', ...reference].map(
      (path) => `GET ${path}`,
    )
    const hooks = ['mediamtx', 'srs', 'zlmediakit'].map((name) => `POST /streams/hooks/${name}`)
    const player = ['', '/index.m3u8', '/live.flv', '/:file'].map(
      (path) => `GET /streams/:grant${path}`,
    )
    const scripts = ['hls.js', 'player.js'].map((name) => `GET /streams/js/${name}`)
    const files = ['GET /files/portraits/:name']
    const streams = [...player, ...scripts, 'OPTIONS /streams/*']
    assert.deepEqual(
      routes.map(withoutNames).toSorted(),
      [...operations, ...open, ...hooks, ...files, ...streams].map(withoutNames).toSorted(),
    )
  })
})

const isOf = (noun: string, file: string): boolean =>
  file === `${noun}.test.ts` || file.startsWith(`${noun}-`)

describe('tests', () => {
  const folder = fileURLToPath(new URL('../http/', import.meta.url))
  const titles = globSync('*.test.ts', { cwd: folder }).flatMap((file) =>
    Array.from(
      readFileSync(`${folder}${file}`, 'utf8').matchAll(/\bdescribe\('(\w+)', /g),
      ([, title]) => ({ file, title }),
    ),
  )

  test('every operation has its tests, in a file that begins with its noun', () => {
    for (const { operationId, noun } of OPERATIONS)
      assert.ok(
        titles.some(({ file, title }) => title === operationId && isOf(noun, file)),
        `no ${noun}.test.ts or ${noun}-….test.ts describes ${operationId}`,
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

  test('has the responses of every operation, and no body for a 204', () => {
    for (const operation of OPERATIONS) {
      const { responses } = find(operation)
      const statuses = [...Object.keys(operation.schema.response), '4XX']
      assert.deepEqual(Object.keys(responses).toSorted(), statuses.toSorted())
      assert.equal(responses['204']?.content, undefined)
      for (const [status, { description, content }] of Object.entries(responses)) {
        assert.ok(description.length > 0)
        const type = status === '200' ? operation.produces : undefined
        if (status !== '204')
          assert.deepEqual(Object.keys(content ?? {}), [type ?? 'application/json'])
      }
    }
  })

  test('names the version of the program, and describes each group of operations', () => {
    const { version } = JSON.parse(textOf('service/package.json')) as { version: string }
    const groups = new Map(document.tags.map(({ name, description }) => [name, description]))

    assert.equal(document.info['version'], version)
    assert.deepEqual(
      [...groups.keys()].toSorted(),
      [...new Set(OPERATIONS.map(({ noun }) => noun))].toSorted(),
    )
    for (const description of groups.values()) assert.match(description, /^[A-Z].{10,}\.$/)
  })

  test('describes the response of each operation, and the scope that it needs', () => {
    for (const operation of OPERATIONS) {
      const { responses, description } = find(operation)
      const [status = ''] = Object.keys(operation.schema.response)
      assert.match(responses[status]?.description ?? '', /^[A-Z].{10,}\.$/, operation.operationId)
      const { scope = 'read' } = operation.config
      const expected = `The application needs the scope \`${scope}\`.`
      assert.equal(description, scope === 'read' ? undefined : expected)
    }
  })

  test('shows the examples of the interface document', () => {
    for (const [operationId, example] of Object.entries(referenceExamples())) {
      const { operation } = documented().find((one) => one.operation.operationId === operationId)!
      const shown = new Map(operation.parameters?.map((one) => [one.name, String(one.example)]))
      for (const [name, text] of Object.entries({ ...example.params, ...example.query }))
        assert.equal(shown.get(name), text === '' ? 'true' : text, `${operationId} ${name}`)
      const [media] = Object.values(operation.requestBody?.content ?? {})
      assert.deepEqual(media?.example, example.body, operationId)
      const served = operation.responses['200']?.content?.['application/json']
      assert.deepEqual(served?.example, example.response, operationId)
    }
  })

  test('has the public address as its server, and is relative to its own without one', async () => {
    const settings = { 'http.publicUrl': 'https://shm.example/site/' }
    await using other = await withService({ settings })

    const named = (await other.call('/openapi.json')).json<OpenApi>()

    assert.deepEqual(document.servers, [{ url: '/' }])
    assert.deepEqual(named.servers, [{ url: 'https://shm.example/site' }])
  })

  test('says how each operation is asked, by schemes that it has', () => {
    const schemes = Object.keys(document.components.securitySchemes)
    for (const operation of OPERATIONS) {
      const { security } = find(operation)
      const used = security.flatMap((one) => Object.keys(one))
      assert.equal(used.length > 0, operation.config.access !== 'body')
      assert.ok(used.every((name) => schemes.includes(name)))
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

describe('the console', () => {
  test('is where / leads, without a token', async () => {
    const moved = await service.call('/')

    assert.equal(moved.status, 302)
    assert.equal(moved.headers['location'], '/console/')
    assert.equal((await service.call('/console')).headers['location'], '/console/')
  })

  test('is a page whose policy allows no style and no script but files of the service', async () => {
    const page = await service.call('/console/')

    assert.equal(page.status, 200)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(page.headers['cache-control'], 'no-cache')
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/)
    assert.doesNotMatch(page.text, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i)
  })

  test('has no file but its own', async () => {
    for (const name of ['unknown.js', '..%2findex.html', '%2e%2e%2fbuilt-from.txt'])
      assert.equal((await service.call(`/console/assets/${name}`)).status, 404, name)
  })
})

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
