import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const FOLDER = new URL('../../../test/data/vibration-formats/', import.meta.url)

/** A file of `test/data/vibration-formats`, unpacked. */
export function testFile(name: string): Uint8Array {
  const bytes = readFileSync(new URL(name, FOLDER))
  return new Uint8Array(name.endsWith('.gz') ? gunzipSync(bytes) : bytes)
}

export const latin1 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
