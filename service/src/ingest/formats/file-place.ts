import type { ClockStates } from './records.ts'

/** How far a file has been read, and where the header in force begins: in bytes and in lines. */
export type FilePlace = {
  offset: number
  lines: number
  header: number
  headerLines: number
  /** The clocks of the rows before it. */
  clocks?: ClockStates
}

export const BEGINNING: FilePlace = { offset: 0, lines: 0, header: 0, headerLines: 0 }
