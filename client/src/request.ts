import type { Wire } from './endpoint.ts'

export type Request = {
  method: string
  /** Path and query string, relative to the base address. */
  path: string
  body?: string | Bytes
  contentType?: string
}

type Bytes = Uint8Array<ArrayBuffer> | Blob

const PARAMETER = /:(\w+)/g

/** Makes a request with the members of `input` in path, query string and body. */
export function toRequest(wire: Wire, input: object): Request {
  const rest = new Map<string, unknown>(Object.entries({ ...input, ...wire.constants }))
  const take = (name: string): unknown => {
    const value = rest.get(name)
    rest.delete(name)
    return value
  }

  const path = wire.url.replace(PARAMETER, (_, name: string) =>
    encodeURIComponent(textOf(name, take(name))),
  )
  if (wire.method === 'GET' || wire.method === 'DELETE')
    return { method: wire.method, path: path + queryOf([...rest]) }

  const query = (wire.query ?? []).map((name) => [name, take(name)] as const)
  const request = { method: wire.method, path: path + queryOf(query) }
  if (wire.encoding === 'text') {
    const [[name, text] = ['body', '']] = rest
    return { ...request, body: textOf(name, text), contentType: 'text/plain; charset=utf-8' }
  }
  if (wire.encoding === 'bytes') {
    const [[name, bytes] = ['body', undefined]] = rest
    return { ...request, body: bytesOf(name, bytes), contentType: 'application/octet-stream' }
  }
  return wire.encoding === 'form'
    ? {
        ...request,
        body: queryOf([...rest]).slice(1),
        contentType: 'application/x-www-form-urlencoded;charset=UTF-8',
      }
    : {
        ...request,
        body: JSON.stringify(Object.fromEntries(rest)),
        contentType: 'application/json',
      }
}

/** The query string with its `?`, or an empty text; lists are joined by commas. */
function queryOf(entries: Iterable<readonly [string, unknown]>): string {
  const query = new URLSearchParams()
  for (const [name, value] of entries) {
    if (value !== undefined) query.append(name, textOf(name, value))
  }
  return query.size === 0 ? '' : `?${query}`
}

function textOf(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(name, one)).join(',')
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`${name} must be a text, a number, a boolean or a list of them`)
}

function bytesOf(name: string, value: unknown): Bytes {
  if (value instanceof Blob || isBytes(value)) return value
  throw new TypeError(`${name} must be a Uint8Array or a Blob`)
}

/** Of memory that is not shared, which `fetch` cannot send. */
const isBytes = (value: unknown): value is Uint8Array<ArrayBuffer> =>
  value instanceof Uint8Array && value.buffer instanceof ArrayBuffer
