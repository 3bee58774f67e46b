import type { Readable } from 'node:stream'
import type { FfmpegOutput } from '../ffmpeg/arguments.ts'
import type { OpenedSource, OpenSource } from '../source/opened-source.ts'
import type { FlvTag } from './flv-tag.ts'
import { FlvReader } from './flv.ts'
import { FrameReader, nalUnitsOf, type Frame } from './frame-reader.ts'
import { H264 } from './mpegts.ts'
import { findParameters, isPlayedByBrowsers } from './nal-units.ts'
import { Segmenter, type Segment, type SegmentLimits } from './segmenter.ts'

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
  limits: SegmentLimits
  signal: AbortSignal
  onSegment(segment: Segment): void
  onTag(tag: FlvTag): void
  /** A monotonic clock in milliseconds. */
  monotonic(): number
}

export type FfmpegRun = {
  readonly hasSegments: boolean
  /** MPEG-TS with the newest keyframe; undefined without one of the last ten seconds. */
  keyframe(): Buffer | undefined
  /** Settles when ffmpeg has ended; `isUnplayable` when it copied what browsers cannot play. */
  readonly ended: Promise<{ isUnplayable: boolean; problem: string; detail: string }>
}

/** An older keyframe does not show the present. */
const PRESENT_MILLISECONDS = 10_000

/** An ffmpeg that gives no picture for so long hangs, whatever its camera sends. */
const SILENCE_MILLISECONDS = 20_000
const CHECK_MILLISECONDS = 1_000

/** What came last is published at the end, unless it has waited for a stalled camera. */
const LAST_SEGMENT_MILLISECONDS = 3_000

/** Tags that wait until the format is known are at most a few pictures. */
const WAITING_TAGS = 1_000

/**
 * Runs ffmpeg once, and publishes its segments and tags from the moment at which they are known to be
 * playable; otherwise it is ended at once.
 */
export function runFfmpeg(options: Omit<RunOptions, 'open'>): FfmpegRun {
  const { source, output, start, limits, signal, onSegment, onTag, monotonic } = options
  const ffmpeg = start(source, output)
  const end = () => void ffmpeg[Symbol.asyncDispose]()
  const isCopy = output.kind === 'copy'
  let isPlayable = isCopy ? undefined : true
  let hasSegments = false
  let newestKey: { frame: Frame; at: number } | undefined
  let waiting: FlvTag[] = []

  let lastFrame = monotonic()
  let isSilent = false
  const watch = setInterval(() => {
    isSilent ||= monotonic() - lastFrame > SILENCE_MILLISECONDS
    if (isSilent) end()
  }, CHECK_MILLISECONDS).unref()

  const frames = new FrameReader()
  const segmenter = new Segmenter(limits)
  const publish = (segment: Segment | undefined): void => {
    if (segment === undefined) return
    hasSegments = true
    onSegment(segment)
  }
  const judge = (frame: Frame): void => {
    const found = findPlayable(frame)
    if (found === undefined || found === isPlayable) return
    isPlayable = found
    if (!found) return end()
    for (const tag of waiting) onTag(tag)
    waiting = []
  }
  const flv = new FlvReader({
    onTag(tag) {
      if (isPlayable === true) onTag(tag)
      else if (isPlayable === undefined && waiting.length < WAITING_TAGS) waiting.push(tag)
    },
  })
  ffmpeg.ts.on('data', (chunk: Buffer) => {
    for (const frame of frames.push(chunk)) {
      lastFrame = monotonic()
      if (isCopy) judge(frame)
      if (isPlayable !== true) continue
      if (frame.isKey) newestKey = { frame, at: monotonic() }
      publish(segmenter.push(frame))
    }
    // A video that MPEG-TS does not know gives no frames; its map says so.
    if (isCopy && frames.stream !== undefined && frames.stream.type !== H264) {
      isPlayable = false
      end()
    }
  })
  ffmpeg.flv.on('data', (chunk: Buffer) => flv.push(chunk))
  signal.addEventListener('abort', end, { once: true })
  const ended = ffmpeg.ended.then(async ({ problem, detail }) => {
    clearInterval(watch)
    signal.removeEventListener('abort', end)
    await ffmpeg[Symbol.asyncDispose]()
    const isPresent = monotonic() - lastFrame < LAST_SEGMENT_MILLISECONDS
    if (isPlayable === true && isPresent && !signal.aborted) publish(segmenter.finish())
    const why = isSilent ? 'ffmpeg gave no picture for 20 seconds.' : problem
    return { isUnplayable: isPlayable === false, problem: why, detail }
  })
  return {
    get hasSegments() {
      return hasSegments
    },
    keyframe() {
      if (newestKey === undefined || monotonic() - newestKey.at > PRESENT_MILLISECONDS)
        return undefined
      const { tables, bytes } = newestKey.frame
      return Buffer.concat([tables, bytes])
    },
    ended,
  }
}

/** Whether browsers play a keyframe; undefined for other frames. */
function findPlayable(frame: Frame): boolean | undefined {
  if (frame.stream.type !== H264) return false
  if (!frame.isKey) return undefined
  const parameters = findParameters(nalUnitsOf(frame))
  return parameters === undefined ? undefined : isPlayedByBrowsers(parameters)
}
