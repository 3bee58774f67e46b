import { nalUnitsOf, type Frame } from './frame-reader.ts'
import { H264, TICKS_PER_SECOND } from './mpegts.ts'
import { findParameters } from './nal-units.ts'

export type SegmentLimits = {
  /** A segment ends at the first keyframe after about this time. */
  readonly seconds: number
  /** The first segment ends after this time without a keyframe, so that viewers see a picture soon. */
  readonly firstSeconds: number
  /** No segment is longer. */
  readonly longestSeconds: number
  /** No segment of more than one frame has more bytes. */
  readonly mostBytes: number
}

export type Segment = {
  readonly bytes: Buffer
  readonly seconds: number
  readonly isDiscontinuity: boolean
}

/** Keyframes of a camera come a little early or late. */
const EARLY_SHARE = 0.9

type Frames = [Frame, ...Frame[]]

/** The portion of a stream that is not yet a segment. */
type OpenSegment = {
  readonly frames: Frames
  readonly isDiscontinuity: boolean
  bytes: number
}

/** Cuts the frames of one run of ffmpeg into segments. The first one begins with a keyframe. */
export class Segmenter {
  readonly #limits: SegmentLimits
  #open: OpenSegment | undefined
  #isFirst = true
  #sps: Buffer | undefined
  /** The time between the last two frames, in ticks. */
  #step = 0

  constructor(limits: SegmentLimits) {
    this.#limits = limits
  }

  /** Adds a frame; returns the segment that ended before it, if one did. */
  push(frame: Frame): Segment | undefined {
    const hasNewParameters = this.#readParameters(frame)
    const open = this.#open
    if (open === undefined) {
      if (frame.isKey) this.#begin(frame, false)
      return undefined
    }
    const step = frame.decodeTime - lastOf(open.frames).decodeTime
    const isJump = step < 0 || step > this.#limits.longestSeconds * TICKS_PER_SECOND
    if (!isJump) this.#step = step
    if (isJump || hasNewParameters || this.#isDue(open, frame)) {
      this.#begin(frame, isJump || hasNewParameters)
      return this.#close(open, isJump ? undefined : frame)
    }
    open.frames.push(frame)
    open.bytes += frame.bytes.length
    return undefined
  }

  /** Ends the open segment, when ffmpeg has ended. */
  finish(): Segment | undefined {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? undefined : this.#close(open, undefined)
  }

  /** Whether a keyframe has another sequence parameter set: another resolution, mostly. */
  #readParameters(frame: Frame): boolean {
    if (!frame.isKey || frame.stream.type !== H264) return false
    const sps = findParameters(nalUnitsOf(frame))?.sps
    if (sps === undefined) return false
    const isNew = this.#sps !== undefined && !this.#sps.equals(sps)
    this.#sps = sps
    return isNew
  }

  #isDue({ frames, bytes }: OpenSegment, frame: Frame): boolean {
    const { seconds, firstSeconds, longestSeconds, mostBytes } = this.#limits
    const [begin] = frames
    const elapsed = (frame.decodeTime - begin.decodeTime) / TICKS_PER_SECOND
    const isRegular = frame.isKey && (elapsed >= seconds * EARLY_SHARE || !begin.isKey)
    const isEarly = this.#isFirst && elapsed >= firstSeconds
    const isLong = elapsed + this.#step / TICKS_PER_SECOND > longestSeconds
    return isRegular || isEarly || isLong || bytes + frame.bytes.length > mostBytes
  }

  #begin(frame: Frame, isDiscontinuity: boolean): void {
    this.#open = { frames: [frame], isDiscontinuity, bytes: frame.bytes.length }
  }

  /** The segment lasts until the next frame, or as if it came after the usual time. */
  #close({ frames, isDiscontinuity }: OpenSegment, next: Frame | undefined): Segment {
    this.#isFirst = false
    const [begin] = frames
    const end = next?.decodeTime ?? lastOf(frames).decodeTime + this.#step
    const seconds = (end - begin.decodeTime) / TICKS_PER_SECOND
    return {
      bytes: Buffer.concat([begin.tables, ...frames.map(({ bytes }) => bytes)]),
      seconds: Math.min(seconds, this.#limits.longestSeconds),
      isDiscontinuity,
    }
  }
}

const lastOf = (frames: Frames): Frame => frames.at(-1) ?? frames[0]
