import type { CameraEntry } from '../../../domain/site/site-entry.ts'
import { startJob, type Job } from '../../../background/job.ts'
import { countOf } from '../../../errors/show.ts'
import { toError } from '../../../errors/thrown.ts'
import type { PlaybackGrants } from '../../grants/playback-grants.ts'
import { MediaMtxError, type MediaMtxApi } from './mediamtx-api.ts'
import { endExpiredSessions } from './mediamtx-sessions.ts'
import { pathChanges, wantedPaths, type MediaMtxPath } from './path-changes.ts'

const EVERY_MILLISECONDS = 10_000
/** After failures in a row every third run tries, so that MediaMTX has its paths half a minute after its start. */
const MOST_SKIPPED = 2

export type MediaMtxSyncOptions = {
  api: MediaMtxApi
  /** The current site. */
  catalogue(): Promise<{ cameras: readonly CameraEntry[] }>
  grants: Pick<PlaybackGrants, 'check'>
  log: { info(sentence: string): void; warn(sentence: string): void }
  /** Default: ten seconds. */
  everyMilliseconds?: number
}

/**
 * Keeps the paths of a MediaMTX equal to the cameras of the site, also after MediaMTX has started again,
 * and ends its sessions whose grant has expired.
 */
export function startMediaMtxSync(options: MediaMtxSyncOptions): Job {
  const { log, everyMilliseconds = EVERY_MILLISECONDS } = options
  const sync = new MediaMtxSync(options)
  return startJob({
    name: 'Keeping the paths of MediaMTX',
    everyMilliseconds,
    firstMilliseconds: 0,
    log,
    run: (stop) => sync.run(stop),
  })
}

class MediaMtxSync {
  readonly #options: MediaMtxSyncOptions
  /** What has been logged and still holds. */
  #said = new Set<string>()
  /** The source that each path was given, and how MediaMTX lists it since. */
  readonly #given = new Map<string, { source: string; listed: string | undefined }>()
  #failures = 0
  #skipped = 0

  constructor(options: MediaMtxSyncOptions) {
    this.#options = options
  }

  async run(stop: AbortSignal): Promise<void> {
    if (this.#skipped < Math.min(this.#failures - 1, MOST_SKIPPED)) {
      this.#skipped++
      return
    }
    this.#skipped = 0
    const problems: string[] = []
    try {
      problems.push(...(await this.#keepPaths(stop)))
      await endExpiredSessions(this.#options.api, this.#options.grants, stop)
      if (this.#failures > 0) this.#options.log.info('MediaMTX answers again, and has its paths.')
      this.#failures = 0
    } catch (error) {
      stop.throwIfAborted()
      this.#failures++
      problems.push(`${toError(error).message} It is asked again within 30 s.`)
    }
    this.#say(problems)
  }

  /** Returns a sentence for each thing that stays wrong. */
  async #keepPaths(stop: AbortSignal): Promise<string[]> {
    const { api, catalogue } = this.#options
    const { sources, unreadable } = wantedPaths((await catalogue()).cameras)
    const listed = (await api.listPaths(stop)).map((path) => this.#asGiven(path))
    const changes = pathChanges(sources, listed)
    const problems = unreadable.map(
      (id) => `MediaMTX cannot play camera ${id}: its source is neither RTSP, RTMP nor HLS.`,
    )
    let changed = 0
    for (const change of changes) {
      this.#given.delete(change.name)
      try {
        await api.applyChange(change, stop)
        changed++
        if (change.kind !== 'delete')
          this.#given.set(change.name, { source: change.source, listed: undefined })
      } catch (error) {
        if (!(error instanceof MediaMtxError) || !isAboutPath(error)) throw error
        problems.push(`MediaMTX refuses the path ${change.name} with status ${error.status}.`)
      }
    }
    if (changed > 0) this.#options.log.info(`${countOf(changed, 'path')} of MediaMTX changed.`)
    return problems
  }

  /**
   * The path with the source that it was given where MediaMTX lists that in another form: writing it
   * again each time would interrupt those who play it.
   */
  #asGiven(path: MediaMtxPath): MediaMtxPath {
    const given = this.#given.get(path.name)
    if (given === undefined) return path
    given.listed ??= path.source
    return given.listed === path.source ? { ...path, source: given.source } : path
  }

  /** Logs what was not wrong before. */
  #say(problems: readonly string[]): void {
    for (const problem of problems) if (!this.#said.has(problem)) this.#options.log.warn(problem)
    this.#said = new Set(problems)
  }
}

/** Whether MediaMTX refuses this path and may accept others. */
const isAboutPath = ({ status }: MediaMtxError): boolean => status === 400 || status === 404
