import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf, toError } from '../errors/thrown.ts'

/** Refuses a folder, and a file that exists unless it may be replaced. */
export async function checkOutput(name: string, mayReplace: boolean): Promise<void> {
  const found = await stat(name).catch(() => undefined)
  if (found?.isDirectory()) throw new RefusedError('invalid', `${name} is a folder.`)
  if (found !== undefined && !mayReplace)
    throw new RefusedError('invalid', `${name} exists; --force replaces it.`)
}

/** Writes a file under another name and renames it when it is complete. */
export async function writeAtomically(
  name: string,
  parts: AsyncIterable<Uint8Array>,
  mayReplace: boolean,
): Promise<void> {
  await checkOutput(name, mayReplace)
  const partial = `${name}.${randomUUID().slice(0, 8)}.partial`
  try {
    {
      await using file = await open(partial, 'wx')
      for await (const part of parts) await file.writeFile(part)
      await file.sync()
    }
    await checkOutput(name, mayReplace)
    await rename(partial, name)
  } catch (error) {
    await rm(partial, { force: true })
    throw explainFailure(error, name)
  }
}

/** Writes to a stream, which stays open. A reader that closes its end early is no failure. */
export async function writeToStream(
  parts: AsyncIterable<Uint8Array>,
  output: Writable,
): Promise<void> {
  try {
    await pipeline(Readable.from(parts), output, { end: false })
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error
  }
}

const FILE_CALLS: ReadonlySet<unknown> = new Set(['open', 'write', 'fsync', 'rename', 'close'])

/** A failure to write the file as a sentence; any other error unchanged. */
function explainFailure(thrown: unknown, name: string): Error {
  const error = toError(thrown)
  if (!('syscall' in error) || !FILE_CALLS.has(error.syscall)) return error
  const code = codeOf(error)
  const reason = code === 'ENOSPC' ? 'the disk is full' : code
  return new RefusedError('unavailable', `${name} cannot be written: ${reason}.`, { cause: error })
}
