import { FIRST_INSTANT, MINUTE } from '../site.ts'
import { SITE_ZONE } from '../series.ts'

/** The query of records `first` to `first + count - 1` of some stations, a record a minute. */
export function windowQuery(stations: readonly number[], first: number, count: number): string {
  return new URLSearchParams({
    stations: stations.join(','),
    startTime: SITE_ZONE.toLocal(FIRST_INSTANT + first * MINUTE),
    endTime: SITE_ZONE.toLocal(FIRST_INSTANT + (first + count) * MINUTE - 1),
  }).toString()
}

export type Get = { path: string; gzip?: boolean }

/** A whole GET request as it goes over the line. */
export function getRequest({ path, gzip = false }: Get): Buffer {
  const encoding = gzip ? 'Accept-Encoding: gzip\r\n' : ''
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${encoding}\r\n`)
}

export function postRequest(path: string, key: string, content: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`,
  )
}

/** A body of bare bytes. */
export function postOctets(path: string, key: string, content: Uint8Array): Buffer {
  const head =
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/octet-stream\r\nContent-Length: ${content.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), content])
}
