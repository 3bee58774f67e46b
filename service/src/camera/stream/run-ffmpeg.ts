import type { Readable } from 'node:stream'
import type { FfmpegOutput } from '../ffmpeg/ffmpeg-process.ts'
import type { OpenedSource, OpenSource } from '../source/opened-source.ts'
import { FlvReader, type FlvTag } from './flv.ts'
import { Segmenter, type Segment, type VideoFormat } from './segmenter.ts'

/** What is needed of an ffmpeg; `FfmpegProcess` is one. */
export type RunningFfmpeg = AsyncDisposable & {
  readonly ts: Readable
  readonly flv: Readable
  readonly ended: Promise<{ problem: string; detail: string }>
}

/** Starts an ffmpeg that reads an opened source. */
export type StartFfmpeg = (source: OpenedSource, output: FfmpegOutput) => RunningFfmpeg

export type RunOptions = {
  open: OpenSource
  source: OpenedSource
  output: FfmpegOutput
  start: StartFfmpeg
  segmentSeconds: number
  signal: AbortSignal
  onSegment(segment: Segment): void
  onTag(tag: FlvTag): void
}

export type FfmpegRun = {
  readonly hasSegments: boolean
  keyframe(): Buffer | undefined
  /** Settles when ffmpeg has ended; `isUnplayable` when it copied what browsers cannot play. */
  readonly ended: Promise<{ isUnplayable: boolean; problem: string; detail: string }>
}

/** Tags that wait until the format is known are at most a few pictures. */
const WAITING_TAGS = 1_000

/**
 * Runs ffmpeg once, and publishes its segments and tags from the moment at which their format is known
 * to be playable; with another format it is ended at once.
 */
export function runFfmpeg(options: Omit<RunOptions, 'open'>): FfmpegRun {
  const { source, output, start, segmentSeconds, signal, onSegment, onTag } = options
  const process = start(source, output)
  const isCopy = output.kind === 'copy'
  let format: VideoFormat | undefined = isCopy ? undefined : 'playable'
  let hasSegments = false
  let waiting: FlvTag[] = []
  const end = () => void process[Symbol.asyncDispose]()

  const segmenter = new Segmenter({
    segmentSeconds,
    onFormat(found) {
      if (!isCopy) return
      format = found
      if (found === 'other') return end()
      for (const tag of waiting) onTag(tag)
      waiting = []
    },
    onSegment(segment) {
      if (format !== 'playable') return
      hasSegments = true
      onSegment(segment)
    },
  })
  const flv = new FlvReader({
    onTag(tag) {
      if (format === 'playable') onTag(tag)
      else if (format === undefined && waiting.length < WAITING_TAGS) waiting.push(tag)
    },
  })
  process.ts.on('data', (chunk: Buffer) => segmenter.push(chunk))
  process.flv.on('data', (chunk: Buffer) => flv.push(chunk))
  signal.addEventListener('abort', end, { once: true })
  const ended = process.ended.then(async ({ problem, detail }) => {
    signal.removeEventListener('abort', end)
    await process[Symbol.asyncDispose]()
    if (format === 'playable' && !signal.aborted) segmenter.end()
    return { isUnplayable: format === 'other', problem, detail }
  })
  return {
    get hasSegments() {
      return hasSegments
    },
    keyframe: () => (format === 'playable' ? segmenter.keyframe() : undefined),
    ended,
  }
}
