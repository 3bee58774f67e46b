import type { Logger } from 'pino'
import type { AlarmEngine } from './alarms/engine.ts'
import { startEarlyRecords } from './alarms/early-job.ts'
import { startDeviceWatch } from './alarms/watch-job.ts'
import type { Config } from './config/settings.ts'
import { startForgettingChanges } from './sealing/forget-changes.ts'
import { startSealing } from './sealing/sealing-job.ts'
import type { CurrentCatalogue } from './storage/current-catalogue.ts'
import type { Storage } from './storage/storage.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** When jobs run that the settings say nothing of. */
export type JobRhythm = {
  /** How long after the start past days are first looked for. */
  firstSealingMilliseconds?: number | undefined
  /** How often changes are looked for that can be forgotten. */
  forgetChangesMilliseconds?: number | undefined
  /** How often early records are looked for whose time has come. */
  earlyRecordsMilliseconds?: number | undefined
}

type Options = JobRhythm & {
  config: Config
  storage: Storage
  catalogue: CurrentCatalogue
  alarms: AlarmEngine
  log: Logger
  now(): number
}

/** Starts what is done again and again beside the requests, as far as the settings want it. */
export function startJobs(options: Options): AsyncDisposable {
  const { config, storage, catalogue, alarms, log, now } = options
  const stack = new AsyncDisposableStack()
  stack.adopt(forgetTokens(options), clearInterval)
  stack.use(
    startDeviceWatch({
      alarms,
      storage,
      catalogue,
      log,
      everySeconds: config['alarms.watchEverySeconds'],
      now,
    }),
  )
  const everyMilliseconds = options.earlyRecordsMilliseconds
  stack.use(startEarlyRecords({ alarms, storage, catalogue, log, everyMilliseconds, now }))
  if (config['seal.everyMinutes'] > 0)
    stack.use(
      startSealing({
        storage,
        catalogue,
        log,
        afterDays: config['seal.afterDays'],
        everyMinutes: config['seal.everyMinutes'],
        share: config['seal.share'],
        firstMilliseconds: options.firstSealingMilliseconds,
        now,
      }),
    )
  if (config['intake.keepChangesDays'] > 0)
    stack.use(
      startForgettingChanges({
        storage,
        log,
        keepDays: config['intake.keepChangesDays'],
        everyMilliseconds: options.forgetChangesMilliseconds,
        now,
      }),
    )
  return stack
}

function forgetTokens({ storage, config, now, log }: Options): NodeJS.Timeout {
  const forget = (): void => {
    storage.tokens
      .forgetExpired(now() - config['tokens.keepExpiredDays'] * DAY)
      .catch((error: Error) => log.warn(`expired tokens stay for now: ${error.message}`))
  }
  return setInterval(forget, HOUR).unref()
}
