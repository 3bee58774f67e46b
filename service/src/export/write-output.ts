import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RefusedError } from '../errors/refused-error.ts'

/** Refuses a file that exists, unless it may be replaced, and a folder always. */
export async function checkOutput(name: string, mayReplace: boolean): Promise<void> {
  const found = await stat(name).catch(() => undefined)
  if (found?.isDirectory()) throw new RefusedError('invalid', `${name} is a folder.`)
  if (found !== undefined && !mayReplace)
    throw new RefusedError('invalid', `${name} exists; --force replaces it.`)
}

/** Writes a file that is there whole or not at all: until it is, it has another name. */
export async function writeWhole(
  name: string,
  pieces: AsyncIterable<Uint8Array>,
  mayReplace: boolean,
): Promise<void> {
  await checkOutput(name, mayReplace)
  const partial = `${name}.${randomUUID().slice(0, 8)}.partial`
  try {
    {
      await using file = await open(partial, 'wx')
      for await (const piece of pieces) await file.writeFile(piece)
      await file.sync()
    }
    await checkOutput(name, mayReplace)
    await rename(partial, name)
  } catch (error) {
    await rm(partial, { force: true })
    throw wordsFor(error as NodeJS.ErrnoException, name)
  }
}

/** Writes to a stream, which stays open; a reader that has enough and goes is no failure. */
export async function writeToStream(
  pieces: AsyncIterable<Uint8Array>,
  output: Writable,
): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), output, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

const OF_FILES = new Set(['open', 'write', 'fsync', 'rename', 'close'])

function wordsFor(error: NodeJS.ErrnoException, name: string): Error {
  if (!OF_FILES.has(error.syscall ?? '')) return error
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.code
  return new RefusedError('unavailable', `${name} cannot be written: ${reason}.`, { cause: error })
}
