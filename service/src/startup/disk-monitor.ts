import { startJob, type Job } from '../background/job.ts'
import type { Config } from '../config/settings.ts'
import { megabytesOf } from '../errors/show.ts'
import { DiskSpace, type DiskSpaceState } from '../storage/disk-space.ts'
import { usesPostgres } from './storage-settings.ts'

const EVERY_MILLISECONDS = 1_000

/** The space of the data folder, with the limits of the settings; records on a server need none of it. */
export const diskSpaceOf = (folder: string, config: Config): DiskSpace =>
  new DiskSpace(folder, {
    warnBytes: config['storage.warnFreeMegabytes'] * 2 ** 20,
    stopBytes: usesPostgres(config) ? 0 : config['storage.stopFreeMegabytes'] * 2 ** 20,
  })

type MonitorLog = Record<'error' | 'warn' | 'info', (sentence: string) => void>

/** Says in the log when the disk becomes nearly full, when intake stops and when it goes on. */
export function startDiskMonitor(disk: DiskSpace, log: MonitorLog): Job {
  let logged: DiskSpaceState['state'] = 'enough'
  return startJob({
    name: 'Disk monitoring',
    log,
    everyMilliseconds: EVERY_MILLISECONDS,
    firstMilliseconds: 0,
    async run() {
      const { state, freeBytes, stopBytes } = disk.state()
      if (state === logged) return
      const free = `The disk of ${disk.folder} has ${megabytesOf(freeBytes)} free`
      if (state === 'stopped')
        log.error(
          `${free}: nothing is stored until it has more than ${megabytesOf(stopBytes)} (storage.stopFreeMegabytes). Free some space.`,
        )
      else if (logged === 'stopped') log.info(`${free}. Records are taken again.`)
      if (state === 'low')
        log.warn(
          `${free}. ${stopBytes === 0 ? 'Free some space.' : `Nothing is stored any more below ${megabytesOf(stopBytes)} (storage.stopFreeMegabytes): free some space, or shorten retention periods.`}`,
        )
      else if (state === 'enough' && logged === 'low') log.info(`${free}, enough again.`)
      logged = state
    },
  })
}
