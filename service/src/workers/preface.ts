import { timingSafeEqual } from 'node:crypto'

/** Bytes of a preface, which has a key and an address. */
export const PREFACE_BYTES = 256

/** The line with which a worker begins a connection: it names the client that it passes on. */
export const writePreface = (key: string, address: string): string => `${key} ${address}\n`

/** The address in a preface without its line break; undefined unless it has the key. */
export function readPreface(line: string, key: string): string | undefined {
  const given = Buffer.from(line.slice(0, key.length))
  const expected = Buffer.from(key)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return line.charAt(key.length) === ' ' ? line.slice(key.length + 1) : undefined
}
