import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { isObject } from '../../src/json/is-object.ts'

export const FIXTURES = fileURLToPath(new URL('./fixtures', import.meta.url))

const DATABASE = /^version-(\d+)\.db\.zst$/

/** A request that reads, and how the program of that time responded. */
export type Answer = {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  status: number
  answer: unknown
}

/** A data folder that an earlier version has written: its database, and how that version answered. */
export type Fixture = {
  version: number
  /** When it was made, in milliseconds since 1970: the tests hold the clock there. */
  madeAt: number
  /** Of the fixture only: no service has them. */
  application: { appId: string; appSecret: string }
  token: string
  key: string
  answers: Answer[]
  /** A change that can be undone, and how a request was answered before it. */
  deletion: { change: number; before: Answer }
}

/** The versions of the database of which there is a fixture. */
export const fixtureVersions = (): number[] =>
  readdirSync(FIXTURES)
    .flatMap((name) => DATABASE.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)

export const readFixture = (version: number): Fixture =>
  JSON.parse(unpack(`version-${version}.json.zst`).toString()) as Fixture

/** Makes the data folder as its program left it; certificates and secrets are no part of a fixture. */
export async function unpackFixture(version: number, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const database = unpack(`version-${version}.db.zst`)
  await writeFile(join(folder, 'plumbline.db'), database, { mode: 0o600 })
}

export async function writeFixture(fixture: Fixture, database: Buffer): Promise<void> {
  const name = join(FIXTURES, `version-${fixture.version}`)
  await writeFile(`${name}.db.zst`, pack(database))
  await writeFile(`${name}.json.zst`, pack(Buffer.from(JSON.stringify(fixture))))
}

const pack = (bytes: Buffer): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } })

const unpack = (name: string): Buffer => zstdDecompressSync(readFileSync(join(FIXTURES, name)))

/**
 * Where an answer of today is not what an earlier one was: the place and both values. Members may have
 * come since; none may be missing or have another value.
 */
export function differences(earlier: unknown, today: unknown, place = '$'): string[] {
  if (Array.isArray(earlier) && Array.isArray(today)) {
    if (earlier.length !== today.length)
      return [`${place}: ${earlier.length} elements, and today ${today.length}`]
    return earlier.flatMap((element, at) => differences(element, today[at], `${place}[${at}]`))
  }
  if (isObject(earlier) && isObject(today))
    return Object.keys(earlier).flatMap((key) =>
      differences(earlier[key], today[key], `${place}.${key}`),
    )
  return Object.is(earlier, today)
    ? []
    : [`${place}: ${JSON.stringify(earlier)}, and today ${JSON.stringify(today)}`]
}
