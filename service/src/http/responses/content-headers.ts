import { acceptsGzip } from './accepts-gzip.ts'

export type ResponseHeaders = Readonly<Record<string, string | number | string[] | undefined>>

/** How the bytes of a response are coded. */
export type Coding = 'gzip' | 'identity'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The coding that a client prefers, by its header `accept-encoding`. */
export const codingFor = (acceptEncoding: string | string[] | undefined): Coding =>
  acceptsGzip(acceptEncoding) ? 'gzip' : 'identity'

type Content = {
  type?: string
  /** Given where the client had a choice. */
  coding?: Coding
  length?: number
}

/** The headers that say what the body of a response is. */
export function contentHeaders({ type, coding, length }: Content): Record<string, string | number> {
  const headers: Record<string, string | number> = {}
  if (type !== undefined) headers['content-type'] = type
  if (coding !== undefined) headers['vary'] = 'accept-encoding'
  if (coding === 'gzip') headers['content-encoding'] = coding
  if (length !== undefined) headers['content-length'] = length
  return headers
}
