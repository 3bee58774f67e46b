import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { EarlySource, Storage } from '../storage/storage.ts'
import type { AlarmCommits } from './alarm-commits.ts'
import { evaluateDue } from './evaluate-early-records.ts'

const LEASE = 'early records'
const LEASE_MILLISECONDS = 30_000
const EVERY_MILLISECONDS = 2_000
const FORGET_EVERY_MILLISECONDS = 3_600_000

export type EarlyJobOptions = {
  commits: AlarmCommits
  storage: Pick<Storage, 'data' | 'early' | 'leases'>
  catalogue(): Promise<Catalogue>
  log: Logger
  everyMilliseconds?: number | undefined
  now(): number
}

/**
 * Evaluates early records again and again, one instance at a time, and says in the log which
 * sources have a clock that is ahead: one line for all that have come since the last one.
 */
export function startEarlyRecords(options: EarlyJobOptions): AsyncDisposable {
  const { commits, storage, catalogue, log, everyMilliseconds = EVERY_MILLISECONDS, now } = options
  const holder = randomUUID()
  const known = new Map<string, number>()
  let forgottenAt = now()

  const look = async (): Promise<void> => {
    const time = now()
    if (Math.abs(time - forgottenAt) >= FORGET_EVERY_MILLISECONDS) {
      await storage.early.forgetSources(time)
      forgottenAt = time
    }
    logNew(await storage.early.listSources(), known, log)
    if ((await storage.early.listDue(commits.horizon(), 1)).length === 0) return
    const until = time + LEASE_MILLISECONDS
    if (!(await storage.leases.take({ name: LEASE, holder, now: time, until }))) return
    const count = await evaluateDue({ commits, storage, catalogue: await catalogue() })
    log.debug({ records: count }, 'early records were evaluated')
  }

  let running: Promise<void> | undefined
  const run = (): void => {
    running ??= look()
      .catch((error: Error) => log.warn(`early records were not evaluated: ${error.message}`))
      .finally(() => (running = undefined))
  }
  const timer = setInterval(run, everyMilliseconds).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await running
      await storage.leases.leave(LEASE, holder).catch(() => undefined)
    },
  }
}

/** Each source is named once, as long as it goes on being ahead. */
function logNew(sources: readonly EarlySource[], known: Map<string, number>, log: Logger): void {
  const fresh = sources.filter(
    ({ kind, source, since }) => known.get(`${kind} ${source}`) !== since,
  )
  known.clear()
  for (const { kind, source, since } of sources) known.set(`${kind} ${source}`, since)
  if (fresh.length === 0) return
  const furthest = fresh.reduce((one, other) => (other.lead > one.lead ? other : one))
  log.warn(
    {
      sources: fresh.length,
      kind: furthest.kind,
      source: furthest.source,
      leadSeconds: Math.round(furthest.lead / 1000),
    },
    'records lie ahead of the clock of the service; check the clock of their source',
  )
}
