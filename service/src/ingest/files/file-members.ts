import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { ArchiveBudget, type ArchiveLimits } from './archive-budget.ts'
import { untilAborted } from '../formats/until-aborted.ts'
import { ZipArchive, isArchiveMark, type ZipMember } from './zip-archive.ts'
import { openUnnamed } from './unnamed-file.ts'

/** A text to be read: a file, or a member of an archive. */
export type FileMember = {
  /** With the archives it lies in: `day.zip > inner.zip > a.csv`. */
  name: string
  /** The file itself, or the archive that it lies in. */
  path: string
  bytes: number
  open(): AsyncIterable<Uint8Array>
}

export type MemberOptions = {
  /** Of an archive only members like this. */
  pattern: string | undefined
  limits: ArchiveLimits
  /** Aborted, unpacking throws its reason. */
  signal: AbortSignal
}

/**
 * The texts that a file consists of: itself, or the members of a ZIP archive, archives within it
 * looked into too. What an archive is, is told by its bytes; a name may say anything.
 *
 * A member must be read before the next one is asked for. Nothing is written to the names that
 * an archive gives. An archive beyond its limits ends where the limit is reached.
 */
export async function* fileMembers(
  file: string,
  { pattern, limits, signal }: MemberOptions,
): AsyncGenerator<FileMember> {
  await using handle = await open(file)
  const { size } = await handle.stat()
  if (!(await isArchive(handle)))
    return yield { name: file, path: file, bytes: size, open: () => createReadStream(file) }
  const budget = new ArchiveBudget(size, limits)
  yield* membersOf(await ZipArchive.open(handle, file, budget), {
    path: file,
    pattern,
    budget,
    depth: 1,
    signal,
  })
}

type Inside = Omit<MemberOptions, 'limits'> & {
  path: string
  budget: ArchiveBudget
  depth: number
}

async function* membersOf(archive: ZipArchive, inside: Inside): AsyncGenerator<FileMember> {
  const { budget, depth } = inside
  budget.enter(depth, archive.name)
  for (const member of await archive.list()) {
    yield* memberOf(member, inside)
    // Whoever read the member was told.
    if (budget.isExceeded) return
  }
}

async function* memberOf(member: ZipMember, inside: Inside): AsyncGenerator<FileMember> {
  const { path, pattern, budget, depth, signal } = inside
  const { name, bytes } = member
  if (isArchiveMark(await member.firstBytes(4))) {
    // An archive is read from its end, so one within another is unpacked first.
    await using unpacked = await openUnnamed()
    for await (const piece of untilAborted(member.pieces(), signal))
      await unpacked.appendFile(piece)
    const archive = await ZipArchive.open(unpacked, name, budget)
    return yield* membersOf(archive, { ...inside, depth: depth + 1 })
  }
  if (pattern === undefined || member.matches(pattern))
    yield { name, path, bytes, open: () => member.pieces() }
}

async function isArchive(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  return isArchiveMark(buffer.subarray(0, bytesRead))
}
