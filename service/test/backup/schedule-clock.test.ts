import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, mock, test } from 'node:test'
import { pino } from 'pino'
import { BackupJob } from '../../src/backup/backup-job.ts'
import { fill, workplace, type Workplace } from '../cli/_cli.ts'

const HOUR = 3_600_000
const YEAR = 365 * 24 * HOUR
const NOW = Date.UTC(2026, 2, 1, 12)

/** Makes a backup at a time of the clock; returns its name. */
async function backUpAt(place: Workplace, time: number, ...flags: string[]): Promise<string> {
  mock.timers.setTime(time)
  return basename((await place.json('backup', 'backups', ...flags)).backup)
}

async function withClock(run: (place: Workplace) => Promise<void>): Promise<void> {
  await using place = await workplace()
  await fill(place, () => Promise.resolve())
  mock.timers.enable({ apis: ['Date'], now: NOW })
  try {
    await run(place)
  } finally {
    mock.timers.reset()
  }
}

const isBackup = (name: string): boolean => name.endsWith('Z')

describe('backups while the clock jumps', () => {
  test('a clock that was a year ahead leaves a schedule that goes on, and keeps what was made last', () =>
    withClock(async (place) => {
      const schedule = ['--every', '24', '--keep', '2']
      await backUpAt(place, NOW, ...schedule)
      const ahead = await backUpAt(place, NOW + YEAR, ...schedule)
      const back = await backUpAt(place, NOW + HOUR, ...schedule)
      const young = await backUpAt(place, NOW + 2 * HOUR, ...schedule)
      const due = await backUpAt(place, NOW + 26 * HOUR, ...schedule)

      assert.notEqual(back, ahead)
      assert.equal(young, back)
      const names = await readdir(join(place.folder, 'backups'))
      assert.deepEqual(names.filter(isBackup).toSorted(), [back, due])
    }))

  test('a restore takes the backup that was made last, and --at the last one of that moment', () =>
    withClock(async (place) => {
      const first = await backUpAt(place, NOW)
      const ahead = await backUpAt(place, NOW + YEAR)
      await backUpAt(place, NOW + HOUR)
      const last = await backUpAt(place, NOW + 2 * HOUR)
      const restore = async (...flags: string[]): Promise<string> => {
        const folder = `restored-${flags.join('').replaceAll(':', '')}`
        const { backup } = await place.json('restore', 'backups', '--data', folder, ...flags)
        return basename(backup)
      }

      assert.equal(await restore(), last)
      assert.equal(await restore('--at', new Date(NOW + 0.5 * HOUR).toISOString()), first)
      assert.equal(await restore('--at', new Date(NOW + 2 * HOUR).toISOString()), last)
      mock.timers.setTime(NOW + 2 * YEAR)
      assert.equal(await restore('--at', new Date(NOW + YEAR).toISOString()), last)
      assert.notEqual(ahead, last)
    }))

  test('a service goes on with its schedule after its clock was put back', async () => {
    await using place = await workplace()
    await fill(place, () => Promise.resolve())
    let time = Date.now()
    const job = new BackupJob({
      leases: { take: async () => true, leave: async () => undefined },
      log: pino({ level: 'silent' }),
      dataFolder: join(place.folder, 'data'),
      settingsFile: undefined,
      variables: process.env,
      to: join(place.folder, 'backups'),
      everyHours: 0.000_01,
      keep: 9,
      verifyEveryDays: 0,
      now: () => time,
    })
    const stop = new AbortController().signal
    await job.run(stop)
    const first = job.state.last?.backup

    time -= YEAR
    await job.run(stop)

    assert.notEqual(job.state.last?.backup, first)
  })
})
