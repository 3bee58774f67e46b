import { open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../errors/thrown.ts'
import { syncSlowFolder } from '../../storage/sync-to-disk.ts'
import type { StoredPiece } from './piece.ts'
import { pieceFileName } from './piece-files.ts'

/** A file takes the pieces of this time, or as many bytes. */
const FILE_MILLISECONDS = 3_600_000
const FILE_BYTES = 64 * 1024 * 1024

/** Appends pieces to the files of a generation. Each is on the disk of the copy when it resolves. */
export class PieceWriter implements AsyncDisposable {
  readonly #folder: string
  #file: { handle: FileHandle; path: string; bytes: number; begunAt: number } | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** After a failure the next call begins another file, which takes the piece from its start. */
  async append({ header, bytes }: StoredPiece): Promise<void> {
    try {
      const file = (this.#file ??= await this.#begin(header.number, header.at))
      await file.handle.appendFile(bytes)
      await file.handle.datasync()
      file.bytes += bytes.length
      if (file.bytes > FILE_BYTES || header.at - file.begunAt > FILE_MILLISECONDS) await this.#end()
    } catch (error) {
      const begun = this.#file
      await this.#end().catch(() => undefined)
      if (begun?.bytes === 0) await rm(begun.path, { force: true }).catch(() => undefined)
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end()
  }

  async #begin(first: number, begunAt: number) {
    for (let attempt = 1; ; attempt++)
      try {
        const path = join(this.#folder, pieceFileName(first, attempt))
        const handle = await open(path, 'ax', 0o600)
        await syncSlowFolder(this.#folder)
        return { handle, path, bytes: 0, begunAt }
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
  }

  async #end(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.handle.close()
  }
}
