import fc from 'fast-check'
import type { Operation } from '@plumbline/contract'
import type { Call } from '../_service.ts'
import { PLATE, SITE_PART, type Fuzzed } from './_service.ts'
import { BODIES, garbageText, nodeOf, valid, type Node } from './_values.ts'

/** Mostly a valid value, sometimes anything. */
const perhaps = (node: Node, name: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 30, arbitrary: valid(node, name) },
    { weight: 1, arbitrary: garbageText },
    { weight: 1, arbitrary: fc.jsonValue() },
  )

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** A parameter of a path that a schema accepts, mostly one that means something in the site. */
const parameter = (node: Node, name: string, { importId }: Known): fc.Arbitrary<unknown> =>
  name === 'importId' && importId !== undefined
    ? fc.oneof(valid(node, name), fc.constant(importId))
    : valid(node, name)

/** A part of a path: a value as text, its characters escaped or not. */
const segment = (node: Node, name: string, known: Known): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: parameter(node, name, known).map(toText) },
    { weight: 2, arbitrary: garbageText.map((text) => encodeURIComponent(text.toWellFormed())) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%c3%28', '..', '.', '1;x', '1/2', '~') },
  )

const SPACES = ['%20', '+'] as const

/** The query as clients write it: escaped, repeated, in any order, with strangers among them. */
const query = (node: Node): fc.Arbitrary<string> => {
  const known = Object.entries(node.properties ?? {}).map(([name, property]) =>
    fc.oneof(
      {
        weight: 30,
        arbitrary: fc
          .tuple(perhaps(property, name), fc.constantFrom(...SPACES))
          .map(([value, space]) => {
            const text = encodeURIComponent(toText(value).toWellFormed())
            return `${name}=${text.replaceAll('%20', space)}`
          }),
      },
      { weight: 8, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(name, `${name}=`, `${name}=1&${name}=2`, `${name}=%zz`),
      },
      { weight: 1, arbitrary: fc.constant(`${name}[]=1&${name}[a]=2`) },
    ),
  )
  const strangers = fc.constantFrom('', 'x=1', '__proto__=1', 'constructor[a]=2', '&&&', '=', '%=%')
  return fc.tuple(strangers, ...known).map((parts) => parts.filter(Boolean).join('&'))
}

const acceptedQuery = ({ properties = {}, required = [] }: Node): fc.Arbitrary<string> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(properties).map(([name, node]) => [name, valid(node, name).map(toText)]),
      ),
      { requiredKeys: required },
    )
    .map((values) => new URLSearchParams(values).toString())

const odd = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values)

const headers: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    accept: odd('*/*', 'application/json', 'text/html', ';;;'),
    'accept-encoding': odd('gzip', 'gzip;q=0', '*', 'br', '*;q=x', ',', 'gzip, deflate'),
    'x-forwarded-for': odd('1.2.3.4', 'x', `${PLATE.codePointAt(0)}`),
    'if-none-match': odd('*', '"x"'),
    range: odd('bytes=0-1', 'bytes=x'),
    origin: odd('https://example.org', 'null'),
    cookie: odd('a=b', ';'),
    'content-encoding': odd('identity', 'gzip', 'br', ''),
  },
  { requiredKeys: [] },
)

const contentType = odd(
  'application/json',
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded;charset=UTF-8',
  'application/x-ndjson',
  'text/plain',
  'multipart/form-data; boundary=x',
  'x',
  '/',
  '',
)

const mutate = (text: string, at: number, insert: string): string =>
  text.slice(0, at % (text.length + 1)) + insert + text.slice((at % (text.length + 1)) + 1)

const PICTURE = Buffer.from('89504e470d0a1a0a', 'hex')

function acceptedBody(
  { operationId, schema }: Operation,
  { siteVersion }: Known,
): fc.Arbitrary<string | Uint8Array> {
  if (operationId === 'putPortrait') return fc.constant(PICTURE)
  const accepted = valid(nodeOf(schema.body))
  const known =
    operationId === 'applySite' && siteVersion !== undefined
      ? fc.constant({ text: SITE_PART, version: siteVersion })
      : BODIES[operationId]
  return (known === undefined ? accepted : fc.oneof(accepted, known)).map((value) =>
    JSON.stringify(value),
  )
}

/** A body: one the schema accepts, one that nearly is, or no such thing. */
const body = (
  operation: Operation,
  known: Known,
): fc.Arbitrary<string | Uint8Array | undefined> => {
  const token = known.spareToken
  const json = acceptedBody(operation, known)
  const form = fc
    .dictionary(fc.constantFrom('grant_type', 'token', 'serialNo', 'protocol'), garbageText)
    .map((values) => new URLSearchParams(values).toString())
  return fc.oneof(
    { weight: 5, arbitrary: json },
    { weight: 2, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(json.map(String), fc.nat(), fc.constantFrom('', '}', '"', '\\', '1e999', '\0', ','))
        .map(([text, at, insert]) => mutate(text, at, insert)),
    },
    { weight: 1, arbitrary: form },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'grant_type=client_credentials',
        `grant_type=refresh_token&token=${token}`,
      ),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
    { weight: 1, arbitrary: garbageText },
    { weight: 1, arbitrary: fc.constant('['.repeat(20_000)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

/** What requests show, and the token that their bodies have. */
export type Secrets = Pick<
  Fuzzed,
  'token' | 'key' | 'basic' | 'spareToken' | 'cookie' | 'spareCookie'
>

/** What requests know of the service: secrets, the version of its site, and an import that waits. */
export type Known = Secrets & { readonly siteVersion?: number; readonly importId?: number }

type Credentials = { query: string; header: string | undefined; cookie?: string }

const rightCredentials = (
  { config, operationId }: Operation,
  { token, key, basic, cookie, spareCookie }: Secrets,
): Credentials =>
  ({
    token: { query: `token=${token}`, header: undefined },
    key: { query: '', header: `Bearer ${key}` },
    credentials: { query: '', header: `Basic ${basic}` },
    session: {
      query: '',
      header: undefined,
      cookie: operationId === 'signOut' ? spareCookie : cookie,
    },
    body: { query: '', header: undefined },
  })[config.access]

/** How a caller shows who it is: rightly, wrongly, doubly or not at all. */
const credentials = (operation: Operation, fuzzed: Secrets): fc.Arbitrary<Credentials> => {
  const { token, key, basic } = fuzzed
  return fc.oneof(
    { weight: 10, arbitrary: fc.constant(rightCredentials(operation, fuzzed)) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        { query: '', header: undefined },
        { query: `token=${token}x`, header: undefined },
        { query: `token=${token}&token=${key}`, header: `Bearer ${token}` },
        { query: `token=${key}`, header: `Basic ${basic}=` },
        { query: '', header: `Bearer ${token} ${key}` },
        { query: '', header: `Basic ${basic.slice(3)}` },
        { query: '', header: 'Basic ' },
        { query: 'token', header: 'Bearer' },
      ),
    },
  )
}

export type Sent = { path: string; call: Call }

/** A request to an operation: any, and sometimes one whose every part the contract accepts. */
export const requests = (operation: Operation, fuzzed: Known): fc.Arbitrary<Sent> =>
  fc.oneof(
    { weight: 4, arbitrary: anyRequest(operation, fuzzed) },
    { weight: 1, arbitrary: acceptedRequest(operation, fuzzed) },
  )

function anyRequest(operation: Operation, fuzzed: Known): fc.Arbitrary<Sent> {
  const params = Object.entries(paramsOf(operation))
  const hasBody = operation.schema.body !== undefined
  return fc
    .record({
      segments: fc.tuple(...params.map(([name, node]) => segment(node, name, fuzzed))),
      query: query(nodeOf(operation.schema.querystring)),
      credentials: credentials(operation, fuzzed),
      headers,
      contentType: fc.oneof(
        { weight: 4, arbitrary: fc.constant(contentTypeOf(operation)) },
        { weight: 1, arbitrary: contentType },
      ),
      body: hasBody ? body(operation, fuzzed) : fc.constant(undefined),
      tail: fc.oneof({ weight: 8, arbitrary: fc.constant('') }, odd('/', '//', '/x', '%2f')),
    })
    .map((parts) => toSent(operation, parts))
}

/** A request whose every part the contract accepts. */
export function acceptedRequest(operation: Operation, fuzzed: Known): fc.Arbitrary<Sent> {
  const params = Object.entries(paramsOf(operation))
  return fc
    .record({
      segments: fc.tuple(
        ...params.map(([name, node]) => parameter(node, name, fuzzed).map(toText)),
      ),
      query: acceptedQuery(nodeOf(operation.schema.querystring)),
      body:
        operation.schema.body === undefined
          ? fc.constant(undefined)
          : acceptedBody(operation, fuzzed),
    })
    .map((parts) =>
      toSent(operation, {
        ...parts,
        credentials: rightCredentials(operation, fuzzed),
        headers: {},
        contentType: contentTypeOf(operation),
        tail: '',
      }),
    )
}

type Parts = {
  segments: string[]
  query: string
  credentials: Credentials
  headers: Record<string, string>
  contentType: string
  body: string | Uint8Array | undefined
  tail: string
}

function toSent(operation: Operation, parts: Parts): Sent {
  const path = Object.keys(paramsOf(operation)).reduce(
    (url, name, at) => url.replace(`:${name}`, () => parts.segments[at] ?? ''),
    operation.url,
  )
  const queries = [parts.query, parts.credentials.query].filter(Boolean).join('&')
  const { header, cookie } = parts.credentials
  return {
    path: `${operation.base}${path}${parts.tail}?${queries}`,
    call: {
      method: operation.method,
      headers: {
        ...parts.headers,
        ...(operation.schema.body === undefined ? {} : { 'content-type': parts.contentType }),
        ...(header === undefined ? {} : { authorization: header }),
        ...(cookie === undefined ? {} : { cookie, 'sec-fetch-site': 'same-origin' }),
      },
      body: parts.body,
    },
  }
}

const paramsOf = ({ schema }: Operation): Record<string, Node> =>
  nodeOf(schema.params).properties ?? {}

const contentTypeOf = ({ consumes }: Operation): string => consumes?.[0] ?? 'application/json'
