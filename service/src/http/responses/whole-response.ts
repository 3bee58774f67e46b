import type { ServerResponse } from 'node:http'
import { contentHeaders, JSON_TYPE, type ResponseHeaders } from './content-headers.ts'

/** The status, headers and JSON body of a small response. */
export type WholeResponse = { status: number; body: object; headers?: ResponseHeaders }

/** Sends a small response without Fastify. */
export function sendWhole(response: ServerResponse, whole: WholeResponse): void {
  const { headers, text } = encodeWhole(whole)
  response.writeHead(whole.status, headers).end(text)
}

/** The headers and the body text of a small response. */
export function encodeWhole({ body, headers }: Omit<WholeResponse, 'status'>): {
  headers: ResponseHeaders
  text: string
} {
  const text = JSON.stringify(body)
  const length = Buffer.byteLength(text)
  return { headers: { ...headers, ...contentHeaders({ type: JSON_TYPE, length }) }, text }
}
