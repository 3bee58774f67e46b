import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import fc from 'fast-check'
import { OPERATIONS, type Operation } from '@plumbline/contract'
import { runs } from '../_random.ts'
import type { Sent } from './_requests.ts'
import { nodeOf, type Node } from './_values.ts'
import {
  CHANNEL,
  CORRECTED,
  MAPPING,
  PLATE,
  PRESET,
  SITE_PART,
  SPARE_APP,
  withFuzzed,
  type Fuzzed,
} from './_service.ts'

const RUNS = runs(40)

type Part = 'params' | 'querystring' | 'body'
type Values = Record<string, unknown>

const RECORDS = [{ time: '2026-01-01 08:00:00', values: { pv: 1 } }]
/** It is made, then changed, then deleted. */
const NEW_BATCH = '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b99'

/** A value for each parameter with which every operation succeeds. */
const GOOD: Values = {
  structureId: 1,
  structId: 1,
  factorId: 15,
  stationId: 1031,
  sensorId: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01',
  alarmId: 1,
  alarmIds: [1],
  positions: [],
  userId: 1,
  status: 'new',
  startTime: '2026-01-01 00:00:00',
  endTime: '2026-12-31 00:00:00',
  collectTime: '2026-01-01 08:00:00',
  time: '2026-01-01 08:00:00',
  stations: '1001',
  to: 'velocity',
  low: 0.5,
  high: 2,
  massPerMetre: 60,
  length: 100,
  serialNo: 'C30411203',
  protocol: 'hls',
  license: PLATE,
  keywords: PLATE,
  ids: [1],
  records: RECORDS,
  comment: 'seen',
  accountId: 1,
  displayName: 'Anna',
  role: 'viewer',
  isDisabled: false,
  quality: 'bad: cable cut',
  windowId: 1,
  channel: CHANNEL,
  cameraId: 1,
  snapshotId: 1,
  preset: PRESET,
  pan: 0.5,
  name: 'Span 跨中',
  startsAt: 0,
  endsAt: Date.UTC(2100, 0),
  until: Date.now() + 86_400_000,
  reason: 'work',
  batchNo: NEW_BATCH,
  text: SITE_PART,
  // A batch was added, changed and deleted since.
  version: 4,
  appId: SPARE_APP,
  scope: 'read',
  mapping: MAPPING,
  importId: 1,
  rejectId: 2,
  payload: CORRECTED,
  // The last one: no later change wrote its records.
  changeId: 3,
  structure: 1,
  sensor: '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01',
  factor: 15,
  thresholds: {
    batchNo: NEW_BATCH,
    stations: [1003],
    items: [{ item: 'strain', range: { low: 0, level: 1 } }],
  },
}

/** Where an operation needs another value. */
const GOOD_OF: Readonly<Record<string, Values>> = {
  createAccount: { name: 'berta' },
  listAudit: { startTime: 0, endTime: Date.UTC(2100, 0) },
  exportAudit: { startTime: 0, endTime: Date.UTC(2100, 0) },
}

/** What may be left out and is sent nevertheless. */
const SENT_ANYWAY = new Set([
  'license',
  'keywords',
  'startTime',
  'endTime',
  'sensor',
  'pan',
  'userId',
])

/** Without the body that is no JSON, and the response that does not end by itself. */
const OTHERS = new Set(['putPortrait', 'streamEvents'])

const OPERATIONS_READ = OPERATIONS.filter(
  ({ config, operationId }) => config.access === 'token' && !OTHERS.has(operationId),
)

const isBytes = ({ consumes }: Operation): boolean => consumes?.[0] === 'application/octet-stream'

/** Every parameter that can be wrong, where it is and what it is. */
const PARAMETERS = OPERATIONS_READ.flatMap((operation) =>
  (['params', 'querystring', 'body'] as const).flatMap((part) => {
    const { properties = {}, required = [] } = nodeOf(operation.schema[part])
    return Object.entries(properties).map(([name, node]) => ({
      operation,
      part,
      name,
      node,
      // A body of bytes is never missing, only empty.
      isNeeded:
        required.includes(name) &&
        node.default === undefined &&
        !(part === 'body' && isBytes(operation)),
    }))
  }),
)

/** Wrong values that a run tries all, and random ones. */
type Wrong = { listed: unknown[]; random: fc.Arbitrary<unknown> }

const text = (...listed: string[]): Wrong => ({
  listed,
  random: fc.string({ minLength: 1, maxLength: 20 }).map((tail) => `x${tail}`),
})

/** Values that a schema does not accept; none for free text and flags. */
function wrong(node: Node, name: string, part: Part, base: string): Wrong | undefined {
  if (node.flag === true) return undefined
  if (name === 'protocol') return text('dash', 'hls;rtmp', 'hls,dash', ',')
  if (name === 'stations' && node.type === 'string') return text('1;2', '1.5', '-1', '1,b', '1 2')
  if (node.type === 'array') {
    const listed =
      node.items?.type === 'string'
        ? [[null], [[1]], [{}], ['strain', []]]
        : [['a'], [1, 'b'], [1.5], [null], [[1]], ['1e999']]
    return part === 'body'
      ? { listed, random: fc.constantFrom(...listed) }
      : text('1;2', '[a]', '1,b', ...(node.items?.type === 'number' ? [] : ['1.5']))
  }
  if (node.const !== undefined || node.anyOf !== undefined) return text('true', '0')
  if (name === 'name' && node.pattern !== undefined)
    return {
      listed: ['two words', '-x', 'ä', 'x'.repeat(65), ''],
      // Blanks around a name are left out.
      random: fc.string({ maxLength: 20 }).map((tail) => `-${tail}`),
    }
  if (name === 'payload')
    return {
      listed: ['', 'abc', 'abcde', 'ab=c', 'a===', '====', 'ab==ab=='],
      // A sign that Base64 does not have: random letters alone may be Base64.
      random: fc.string({ maxLength: 20 }).map((tail) => `!${tail}`),
    }
  if (node.pattern !== undefined)
    return text(
      '2026-02-30 00:00:00',
      '2026-01-01',
      '1700000000000',
      '24:00',
      // The management interface takes offsets too.
      base === '/manage/v1' ? '2026-01-01T00:00:00+25:00' : '2026-01-01T00:00:00Z',
    )
  if (node.type === 'integer') return text('1.5', '1e999', '0x10', '[]', 'NaN', '--1', '1,2')
  if (node.type === 'number') return text('1e999', '0x10', 'NaN', 'Infinity', '1,5')
  if (node.type === 'boolean') return text('2', 'yes', 'on')
  return undefined
}

/** A request in which all is well, but for what `spoil` changes. */
function request(
  operation: Operation,
  token: string,
  damage: (part: Part, values: Values) => Values | undefined,
): Sent {
  const { operationId, method, base, url, schema } = operation
  const values = (part: Part): Values | undefined => {
    const { properties = {}, required = [] } = nodeOf(schema[part])
    const known = Object.keys(properties).filter(
      (name) => name in GOOD && (required.includes(name) || SENT_ANYWAY.has(name)),
    )
    return damage(part, {
      ...Object.fromEntries(known.map((name) => [name, good(properties[name]!, name)])),
      ...Object.fromEntries(
        Object.entries(GOOD_OF[operationId] ?? {}).filter(([name]) => name in properties),
      ),
    })
  }
  const params = values('params')
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name])),
  )
  const query = new URLSearchParams({ token })
  for (const [name, value] of Object.entries(values('querystring') ?? {}))
    query.set(name, String(value))
  return {
    path: `${base}${path}?${query}`,
    call: {
      method,
      headers:
        schema.body === undefined
          ? {}
          : { 'content-type': operation.consumes?.[0] ?? 'application/json' },
      body: schema.body === undefined ? undefined : JSON.stringify(values('body')),
    },
  }
}

const isOptional = ({ schema }: Operation): boolean =>
  schema.body !== undefined && '~optional' in schema.body

const good = (node: Node, name: string): unknown => {
  // That of a camera's picture, not of a value.
  if (name === 'quality' && node.default !== undefined) return node.default
  if (node.type !== 'array') return GOOD[name]
  if (name === 'positions') return [{ stationId: 1001, x: 0.5, y: 0.5 }]
  return name === 'records' ? RECORDS : [1001]
}

describe('a request with one thing wrong is a 400 that names it', () => {
  let fuzzed: Fuzzed
  before(async () => {
    fuzzed = await withFuzzed()
  })
  after(() => fuzzed[Symbol.asyncDispose]())

  const assertNamed = async (sent: Sent, { config }: Operation, name: string): Promise<void> => {
    const { status, text, json } = await fuzzed.call(sent.path, sent.call)
    assert.equal(status, 400, text)
    const refusal = json<{ name: string; message: string }>()
    assert.equal(refusal.name, config.failure.name)
    assert.ok(refusal.message.startsWith(`${config.failure.message}: `), refusal.message)
    assert.ok(refusal.message.includes(`"${name}`), refusal.message)
  }

  test('a valid request of every operation succeeds', async () => {
    for (const operation of OPERATIONS_READ) {
      const { path, call } = request(operation, fuzzed.token, (_part, values) => values)
      const { status, text } = await fuzzed.call(path, call)
      const expected = 200 in operation.schema.response ? 200 : 204
      assert.equal(status, expected, `${operation.operationId} ${text}`)
    }
  })

  for (const { operation, part, name, node, isNeeded } of PARAMETERS) {
    const values = wrong(node, name, part, operation.base)
    const title = `${operation.operationId}: ${name} (${part})`
    if (values !== undefined)
      test(title, async () => {
        await fc.assert(
          fc.asyncProperty(values.random, async (value) => {
            const sent = request(operation, fuzzed.token, (at, all) => {
              // A body wins over the query; where it may be left out, it is.
              if (at === 'body' && part === 'querystring')
                return isOptional(operation) ? undefined : all
              return at === part ? { ...all, [name]: value } : all
            })
            await assertNamed(sent, operation, name)
          }),
          { numRuns: RUNS + values.listed.length, examples: values.listed.map((value) => [value]) },
        )
      })
    if (isNeeded && part !== 'params')
      test(`${title} is missing`, async () => {
        const sent = request(operation, fuzzed.token, (at, all) => {
          const { [name]: _missing, ...others } = all
          return at === part ? others : all
        })
        await assertNamed(sent, operation, name)
      })
  }

  test('secrets are neither in the log nor in the metrics', () => fuzzed.assertNothingLeaked())
})
