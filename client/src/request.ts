import type { Wire } from './endpoint.ts'

export type Request = {
  method: string
  /** Path and query string, relative to the base address. */
  path: string
  body?: string | Uint8Array<ArrayBuffer>
  contentType?: string
}

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
  if (wire.encoding === 'bytes') {
    const [[, bytes] = []] = rest
    const body = bytes as Uint8Array<ArrayBuffer>
    return { ...request, body, contentType: 'application/octet-stream' }
  }
  if (wire.encoding === 'text') {
    const [[name, text] = ['body', '']] = rest
    return { ...request, body: textOf(name, text), contentType: 'text/plain; charset=utf-8' }
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
