import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { SourceError } from '../source/opened-source.ts'
import { keyframe, mux } from './_mux.ts'
import type { RunningFfmpeg } from './run-ffmpeg.ts'
import { Streams, type StreamsOptions } from './streams.ts'

/** An ffmpeg that writes what the test says. */
export class FakeFfmpeg implements RunningFfmpeg {
  readonly source: string
  readonly kind: string
  readonly ts = new PassThrough()
  readonly flv = new PassThrough()
  readonly #ended = Promise.withResolvers<{ problem: string; detail: string }>()
  isRunning = true
  #seconds = 0

  constructor(source: string, kind: string) {
    this.source = source
    this.kind = kind
  }

  get ended() {
    return this.#ended.promise
  }

  /** Writes keyframes, one a second; a frame is whole when the next one begins. */
  write(seconds: number, streamType?: number): void {
    const frames = Array.from({ length: seconds }, () => keyframe(this.#seconds++))
    this.ts.write(mux(frames, streamType))
  }

  end(problem = 'It ended.'): void {
    this.isRunning = false
    this.#ended.resolve({ problem, detail: '' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
  }
}

/** Streams of cameras that do what a test says, on its own clock. */
export class FakeCameras {
  readonly all: FakeFfmpeg[] = []
  readonly failing = new Map<string, string>()
  now = 1_000_000
  readonly #timers = new Set<{ at: number; end(): void }>()
  readonly streams: Streams

  constructor(options: Partial<StreamsOptions> = {}) {
    this.streams = new Streams({
      open: async (text) => {
        const problem = this.failing.get(text)
        if (problem !== undefined) throw new SourceError(problem)
        return {
          input: ['-i', text],
          stdin: undefined,
          failure: () => undefined,
          [Symbol.asyncDispose]: async () => {},
        }
      },
      start: ({ input: [, source = ''] }, { kind }) => {
        const ffmpeg = new FakeFfmpeg(source, kind)
        this.all.push(ffmpeg)
        return ffmpeg
      },
      maxStreams: 2,
      idleSeconds: 30,
      segmentSeconds: 2,
      log: pino({ level: 'silent' }),
      now: () => this.now,
      clock: { now: () => this.now, wait: (...args) => this.#wait(...args) },
      ...options,
    })
  }

  /** Moves the clock by a second. */
  passSecond(): void {
    this.now += 1000
    for (const timer of this.#timers) if (timer.at <= this.now) timer.end()
  }

  running(source?: string): FakeFfmpeg[] {
    return this.all.filter(
      (one) => one.isRunning && (source === undefined || one.source === source),
    )
  }

  #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = {
      at: this.now + milliseconds,
      end: () => {
        this.#timers.delete(timer)
        resolve()
      },
    }
    if (signal.aborted) return Promise.resolve()
    this.#timers.add(timer)
    signal.addEventListener('abort', timer.end, { once: true })
    return promise
  }
}
