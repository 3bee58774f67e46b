import type { Logger } from 'pino'
import type { AlarmEngine } from './alarms/engine.ts'
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
  /** How often tokens are looked for that have expired. */
  tidyTokensMilliseconds?: number | undefined
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
  stack.adopt(tidyTokens(options), clearInterval)
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

/** Tokens that are over are marked, whatever the clock says later, and in the end forgotten. */
function tidyTokens({
  storage: { tokens },
  config,
  now,
  log,
  tidyTokensMilliseconds = HOUR,
}: Options): NodeJS.Timeout {
  const tidy = async (): Promise<void> => {
    await tokens.markAllExpired(now(), now() + DAY)
    await tokens.forgetExpired(now() - config['tokens.keepExpiredDays'] * DAY)
  }
  return setInterval(() => {
    tidy().catch((error: Error) => log.warn(`expired tokens stay for now: ${error.message}`))
  }, tidyTokensMilliseconds).unref()
}
