import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as contract from '@plumbline/contract'
import {
  INGEST_OPERATIONS,
  INTERFACE_OPERATIONS,
  MANAGE_OPERATIONS,
  OPERATIONS,
  type Operation,
} from '@plumbline/contract'
import type { Wire } from '../src/endpoint.ts'
import {
  INGEST_ENDPOINTS,
  MANAGE_ENDPOINTS,
  READ_ENDPOINTS,
  TOKEN_ENDPOINTS,
} from '../src/endpoints.ts'
import { createClient, createIngestClient } from '../src/index.ts'
import { readInterfaceDocument, type Parameter } from './_interface-document.ts'

const document = readInterfaceDocument()
const wires: Record<string, Wire> = {
  ...TOKEN_ENDPOINTS,
  ...READ_ENDPOINTS,
  ...INGEST_ENDPOINTS,
  ...MANAGE_ENDPOINTS,
}

const exported = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8')

const idsOf = (operations: readonly Operation[]) =>
  operations.map(({ operationId }) => operationId).toSorted()

/** `GET /structures/{structureId}/factors`; only paths below `/api/v1` are written short. */
function headingOf({ method, base, url }: Operation): string {
  const path = url.replaceAll(/:(\w+)/g, '{$1}')
  return `${method} ${base === '/api/v1' ? '' : base}${path}`
}

type ObjectSchema = {
  properties?: Record<string, { default?: unknown }>
  required?: readonly string[]
}

function parametersOf({ schema }: Operation): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>()
  const parts = { path: schema.params, query: schema.querystring, body: schema.body }
  for (const [place, part] of Object.entries(parts)) {
    const { properties = {}, required = [] } = (part ?? {}) as ObjectSchema
    for (const [name, property] of Object.entries(properties)) {
      const known = parameters.get(name)
      const standard = property.default
      parameters.set(name, {
        in: known ? [known.in, place].toSorted().join(' or ') : place,
        required: required.includes(name) && standard === undefined,
        default: standard === undefined ? '' : String(standard),
      })
    }
  }
  return parameters
}

test('every operation has a heading in docs/interface.md, and every heading an operation', () => {
  assert.deepEqual([...document.keys()].toSorted(), OPERATIONS.map(headingOf).toSorted())
})

test('every operation has a client method, and every method an operation', () => {
  const credentials = { applicationId: 'a', applicationSecret: 's' }
  const client = createClient({ baseUrl: 'https://x', ...credentials })
  const ingest = createIngestClient({ baseUrl: 'https://x', key: 'k' })

  assert.deepEqual(
    Object.keys(client)
      .filter((name) => !name.startsWith('each'))
      .toSorted(),
    idsOf([...INTERFACE_OPERATIONS, ...MANAGE_OPERATIONS]),
  )
  assert.deepEqual(Object.keys(ingest).toSorted(), idsOf(INGEST_OPERATIONS))
})

test('besides every GET these are repeated, since sending them twice is as good as once', () => {
  const named = Object.entries(wires).filter(([, { isRepeatable }]) => isRepeatable)

  assert.deepEqual(named.map(([name]) => name).toSorted(), [
    'backtestThresholds',
    'getCameraInfo',
    'getStationsData',
    'ingestHeartbeats',
    'ingestRaw',
    'ingestTheme',
    'ingestTraffic',
    'ingestVibration',
    'issueToken',
    'listAlarms',
    'planSite',
    'sendImportFile',
  ])
})

for (const operation of OPERATIONS) {
  const { operationId, schema } = operation

  test(`${operationId} is documented under its noun, with its parameters and an example`, () => {
    const section = document.get(headingOf(operation))

    assert.ok(section, `docs/interface.md has no heading ${headingOf(operation)}`)
    const place = `docs/interface.md, ${headingOf(operation)}`
    assert.equal(section.noun, operation.noun, `${place} is below another noun`)
    assert.ok(section.hasExample, `${place} has no curl example`)
    assert.deepEqual(
      section.parameters,
      parametersOf(operation),
      `${place}: the table of parameters and ${operationId} of the contract differ`,
    )
  })

  test(`${operationId} is sent as the contract says`, () => {
    const wire = wires[operationId]

    const file = `client/src/${operation.noun}.ts`
    assert.ok(wire, `no table of the client has ${operationId}, expected one in ${file}`)
    assert.equal(wire.method, operation.method, `${file}: method of ${operationId}`)
    assert.equal(wire.url, operation.url, `${file}: url of ${operationId}`)
    const isForm = operation.consumes?.[0] === 'application/x-www-form-urlencoded'
    assert.equal(wire.encoding === 'form', isForm, `${file}: encoding of ${operationId}`)
    if (wire.method === 'GET' || wire.method === 'DELETE') return
    const body = (schema.body ?? {}) as ObjectSchema
    const query = (schema.querystring ?? {}) as ObjectSchema
    const onlyInQuery = Object.keys(query.properties ?? {}).filter(
      (name) => !(name in (body.properties ?? {})),
    )
    assert.deepEqual(wire.query ?? [], onlyInQuery, `${file}: query of ${operationId}`)
  })

  test(`the client exports the type of the response of ${operationId}`, () => {
    const response: { items?: unknown } | undefined = schema.response[200]
    const named = Object.entries(contract).filter(
      ([, value]) => value === response || (value !== undefined && value === response?.items),
    )

    for (const [name] of named)
      assert.match(exported, new RegExp(`^  ${name},$`, 'm'), `client/src/index.ts lacks ${name}`)
  })
}
