import { writeSync } from 'node:fs'
import { codeOf } from '../errors/thrown.ts'

const RETRY_MILLISECONDS = 5_000
/** Bytes of lines that are buffered while the reader of the log is slow. */
const WAITING_BYTES = 1_048_576
const SLOW_READER_MILLISECONDS = 50
const WARN = 40

type LogOutput = {
  /** Writes a whole line, or counts it as lost; never throws. */
  write(line: string): void
  /** How many lines could not be written since the start. */
  lost(): number
}

type LogOutputOptions = {
  /** Writes bytes and returns how many. */
  write?: (descriptor: number, bytes: Uint8Array) => number
  /** The text that is written for a line. */
  format?: ((line: string) => string) | undefined
}

/**
 * Writes log lines to a file descriptor; a full disk or a slow reader never stops the service.
 *
 * Lines that cannot be written are counted, and their number is logged when writing works again.
 */
export function openLogOutput(
  descriptor: number,
  { write = writeSync, format = (line) => line }: LogOutputOptions = {},
): LogOutput {
  let lost = 0
  let unreported = 0
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let isTorn = false
  let timer: NodeJS.Timeout | undefined

  const retryIn = (milliseconds: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      flush()
    }, milliseconds).unref()
  }
  const keep = (bytes: Buffer): void => {
    waiting.push(bytes)
    waitingBytes += bytes.length
  }
  /** Writes bytes, or keeps them while the reader is slow; false when they are lost. */
  const put = (bytes: Buffer): boolean => {
    let at = 0
    try {
      while (at < bytes.length) at += write(descriptor, bytes.subarray(at))
      return true
    } catch (error) {
      if (codeOf(error) === 'EAGAIN') {
        keep(bytes.subarray(at))
        retryIn(SLOW_READER_MILLISECONDS)
        return true
      }
      isTorn ||= at > 0
      return false
    }
  }
  const report = (): boolean => {
    if (unreported === 0) return true
    const isReported = put(Buffer.from(`${isTorn ? '\n' : ''}${format(reportLine(unreported))}`))
    if (!isReported) return false
    unreported = 0
    isTorn = false
    return true
  }
  const flush = (): void => {
    const bytes = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    if (bytes.length > 0 && !put(bytes)) lose(countLines(bytes))
    if (waiting.length === 0 && !report()) retryIn(RETRY_MILLISECONDS)
  }
  const lose = (lines: number): void => {
    lost += lines
    unreported += lines
    retryIn(RETRY_MILLISECONDS)
  }

  return {
    write(line) {
      const bytes = Buffer.from(format(line))
      if (waitingBytes + bytes.length > WAITING_BYTES) return lose(1)
      if (waiting.length === 0 && !report()) return lose(1)
      // The report itself may have to wait for the reader.
      if (waiting.length > 0) return keep(bytes)
      if (!put(bytes)) lose(1)
    },
    lost: () => lost,
  }
}

function reportLine(lines: number): string {
  const msg =
    lines === 1
      ? '1 log line was lost because the log could not be written'
      : `${lines.toLocaleString('en')} log lines were lost because the log could not be written`
  return `${JSON.stringify({ level: WARN, time: Date.now(), lost: lines, msg })}\n`
}

const countLines = (bytes: Uint8Array): number =>
  bytes.reduce((sum, byte) => sum + +(byte === 10), 0)
