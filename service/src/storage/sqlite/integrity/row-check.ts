import type { Database } from 'better-sqlite3'
import { crc32 } from 'node:zlib'

/** Registers `row_check(value, …)` with a connection: the CRC-32 of a row's values and their types. */
export function registerRowCheck(database: Database): void {
  const options = { varargs: true, deterministic: true, directOnly: false }
  database.function('row_check', options, (...values) => rowCheck(values))
}

function rowCheck(values: readonly unknown[]): number {
  let crc = 0
  let text = ''
  for (const value of values) {
    if (value instanceof Uint8Array) {
      crc = crc32(value, crc32(`${text}b${value.length} `, crc))
      text = ''
    } else if (value === null) text += '-'
    else text += `${typeof value}${String(value).length} ${String(value)}`
  }
  return text === '' ? crc : crc32(text, crc)
}
