import type { DataFilesOf } from '../data-files.ts'

/** What is known of a continuous copy. */
export type CopyState = {
  /**
   * `waits`: nothing is copied, `problem` says why. `begins`: a generation is begun, and the database
   * is copied. `follows`: the copy is kept up to date.
   */
  state: 'waits' | 'begins' | 'follows'
  /** Every commit up to this moment is in the copy, in ms since 1970. */
  copiedThrough?: number
  /** Why the copy is not kept up to date. */
  problem?: string
  /** Whether the copy is on the disk of the data folder, and is lost with it. */
  isOnSameDisk?: boolean
  /** That others can change the copy, as a sentence. */
  exposure?: string | undefined
  /** The folder of the generation that is written. */
  generation?: string
  /** Of the database file, while a generation is begun. */
  base?: { copiedBytes: number; bytes: number }
  /** Since the start of the service. */
  generations: number
  pieces: number
  bytes: number
}

/** The same, with the folder of the copy. */
export type ContinuousCopyState = CopyState & Pick<CopyOptions, 'to'>

/** What has changed of it; undefined where something is over. */
export type CopyChange = { [Member in keyof CopyState]?: CopyState[Member] | undefined }

/** What the program that copies has to know. */
export type CopyOptions = DataFilesOf & {
  /** The folder of the copy. */
  to: string
  seconds: number
  keepDays: number
}

/** Messages to the program that copies, and from it. */
export type ToCopying = { start: CopyOptions } | { finish: true }
export type FromCopying = { state: CopyState } | { isClosed: true }
