import { acceptsGzip } from './accepts-gzip.ts'

export type ResponseHeaders = Readonly<Record<string, string | number | string[] | undefined>>

/** The content coding of a response. */
export type Coding = 'gzip' | 'identity'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The content coding for a client with this header `accept-encoding`. */
export const codingFor = (acceptEncoding: string | string[] | undefined): Coding =>
  acceptsGzip(acceptEncoding) ? 'gzip' : 'identity'

type Content = {
  type?: string
  /** Set where the coding depends on the request. */
  coding?: Coding
  length?: number
}

/** The headers that describe the body of a response. */
export function contentHeaders({ type, coding, length }: Content): Record<string, string | number> {
  const headers: Record<string, string | number> = {}
  if (type !== undefined) headers['content-type'] = type
  if (coding !== undefined) headers['vary'] = 'accept-encoding'
  if (coding === 'gzip') headers['content-encoding'] = coding
  if (length !== undefined) headers['content-length'] = length
  return headers
}
