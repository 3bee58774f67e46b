import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { RefusedError } from '../../domain/refused-error.ts'

/** A text to be read: a file, or a member of an archive. */
export type FileMember = {
  /** With the archives it lies in: `day.zip > inner.zip > a.csv`. */
  name: string
  bytes: number
  open(): AsyncIterable<Uint8Array>
}

const DEEPEST = 5

/**
 * The texts that a file consists of: itself, or the members of a ZIP archive, archives within it
 * looked into too. What an archive is, is told by its bytes; a name may say anything.
 *
 * A member must be read before the next one is asked for. Nothing is written to the names that
 * an archive gives.
 */
export async function* fileMembers(
  file: string,
  pattern: string | undefined,
): AsyncGenerator<FileMember> {
  if (await isArchive(file)) return yield* membersOf(file, file, pattern, 1)
  yield { name: file, bytes: (await stat(file)).size, open: () => createReadStream(file) }
}

async function* membersOf(
  path: string,
  name: string,
  pattern: string | undefined,
  depth: number,
): AsyncGenerator<FileMember> {
  if (depth > DEEPEST)
    throw new RefusedError('invalid', `${name}: more than ${DEEPEST} archives within each other`)
  const zip = await openPromise(path, {
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: true,
  }).catch((error: Error) => {
    throw new RefusedError('invalid', `${name}: the archive is damaged: ${error.message}`)
  })
  try {
    for (const entry of await listEntries(zip, name))
      yield* memberOf(zip, entry, `${name} > ${nameOf(entry)}`, pattern, depth)
  } finally {
    zip.close()
  }
}

async function* memberOf(
  zip: ZipFile,
  entry: Entry,
  name: string,
  pattern: string | undefined,
  depth: number,
): AsyncGenerator<FileMember> {
  if (!entry.canDecodeFileData())
    throw new RefusedError('invalid', `${name} is encrypted or compressed in an unknown way`)
  const openEntry = () => zip.openReadStreamPromise(entry)
  if (await beginsAsArchive(await openEntry())) {
    // An archive is read from its end, so one within another is unpacked first.
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-zip-'))
    try {
      const inner = join(folder, 'inner.zip')
      await pipeline(await openEntry(), createWriteStream(inner))
      yield* membersOf(inner, name, pattern, depth + 1)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    return
  }
  if (pattern !== undefined && !isWanted(nameOf(entry), pattern)) return
  yield { name, bytes: entry.uncompressedSize, open: () => piecesOf(openEntry(), name) }
}

async function* piecesOf(opening: Promise<Readable>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* (await opening) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new RefusedError('invalid', `${name}: the archive is damaged: ${String(error)}`)
  }
}

async function listEntries(zip: ZipFile, name: string): Promise<Entry[]> {
  try {
    const entries = await Array.fromAsync(zip.eachEntry())
    return entries.filter((entry) => !/\/$|(^|\/)__MACOSX\//.test(nameOf(entry)))
  } catch (error) {
    throw new RefusedError('invalid', `${name}: the archive is damaged: ${String(error)}`)
  }
}

/** Names are shown, never used: they may climb out of their folder. */
const nameOf = (entry: Entry): string => {
  // Names come as bytes, since a name that climbs out would be an error otherwise.
  const bytes = entry.fileName as unknown as Buffer
  return bytes.toString('utf8').replaceAll('\\', '/')
}

/** A pattern with a slash is for the whole name, any other for its last part. */
const isWanted = (name: string, pattern: string): boolean =>
  matchesGlob(pattern.includes('/') ? name : name.slice(name.lastIndexOf('/') + 1), pattern)

async function isArchive(file: string): Promise<boolean> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  return isArchiveMark(buffer.subarray(0, bytesRead))
}

async function beginsAsArchive(stream: Readable): Promise<boolean> {
  let head = Buffer.alloc(0)
  for await (const chunk of stream) {
    head = Buffer.concat([head, chunk as Buffer])
    if (head.length >= 4) break
  }
  return isArchiveMark(head.subarray(0, 4))
}

const isArchiveMark = (head: Buffer): boolean =>
  head.length === 4 && ['504b0304', '504b0506'].includes(head.toString('hex'))
