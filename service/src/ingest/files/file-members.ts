import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { ArchiveBudget, type ArchiveLimits } from './archive-budget.ts'
import { untilAborted } from '../formats/until-aborted.ts'
import { ZipArchive, isArchiveMark, type ZipMember } from './zip-archive.ts'
import { openUnnamed } from './unnamed-file.ts'
import { isWorkbook, readSheet } from './xlsx/workbook.ts'

/** A file to be read, or a member of an archive. */
export type FileMember = {
  /** The name with those of the archives around it: `day.zip > inner.zip > a.csv`. */
  name: string
  /** The path of the file, or of the outermost archive. */
  path: string
  bytes: number
  /** Whether it is a sheet of a workbook, whose rows are opened as CSV. */
  isSheet: boolean
  open(): AsyncIterable<Uint8Array>
}

type MemberOptions = {
  /** Members of archives are read only if their name matches. */
  pattern: string | undefined
  limits: ArchiveLimits
  /** The sheet that is read of XLSX workbooks, by name or number; left out: they are archives. */
  sheet?: string | number | undefined
  /** When it is aborted, unpacking throws its reason. */
  signal: AbortSignal
}

/**
 * The file itself, or the members of a ZIP archive, also of archives within it. Its first bytes say
 * whether a file is an archive, not its name.
 *
 * The caller reads a member before it takes the next one. No file gets a name from an archive. An
 * archive beyond its limits ends where a limit is reached.
 */
export async function* fileMembers(
  file: string,
  { pattern, limits, sheet, signal }: MemberOptions,
): AsyncGenerator<FileMember> {
  await using handle = await open(file)
  const { size } = await handle.stat()
  if (!(await isArchive(handle)))
    return yield {
      name: file,
      path: file,
      bytes: size,
      isSheet: false,
      open: () => createReadStream(file),
    }
  const budget = new ArchiveBudget(size, limits)
  yield* membersOf(await ZipArchive.open(handle, file, budget), {
    path: file,
    pattern,
    sheet,
    bytes: size,
    isMatching: true,
    budget,
    depth: 1,
    signal,
  })
}

type ArchiveContext = Omit<MemberOptions, 'limits'> & {
  path: string
  /** The size of the archive, and whether its name matches the pattern. */
  bytes: number
  isMatching: boolean
  budget: ArchiveBudget
  depth: number
}

async function* membersOf(
  archive: ZipArchive,
  context: ArchiveContext,
): AsyncGenerator<FileMember> {
  const { budget, depth, path, bytes, isMatching, sheet } = context
  budget.enter(depth, archive.name)
  const members = await archive.list()
  if (sheet !== undefined && isWorkbook(members)) {
    if (!isMatching) return
    const open = () => readSheet(members, sheet)
    return yield { name: archive.name, path, bytes, isSheet: true, open }
  }
  for (const member of members) {
    yield* memberOf(member, context)
    // Reading the member has thrown the reason.
    if (budget.isExceeded) return
  }
}

async function* memberOf(member: ZipMember, context: ArchiveContext): AsyncGenerator<FileMember> {
  const { path, pattern, budget, depth, signal } = context
  const { name, bytes } = member
  const isMatching = pattern === undefined || member.matches(pattern)
  if (isArchiveMark(await member.firstBytes(4))) {
    // An archive is read from its end, so an inner one is unpacked first.
    await using unpacked = await openUnnamed()
    for await (const chunk of untilAborted(member.chunks(), signal))
      await unpacked.appendFile(chunk)
    const archive = await ZipArchive.open(unpacked, name, budget)
    return yield* membersOf(archive, { ...context, bytes, isMatching, depth: depth + 1 })
  }
  if (isMatching) yield { name, path, bytes, isSheet: false, open: () => member.chunks() }
}

async function isArchive(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  return isArchiveMark(buffer.subarray(0, bytesRead))
}
