import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { countOf } from '../../src/errors/show.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertSame, inDatabase, SealSite, send, THEME } from '../_sealed.ts'
import { IDS } from '../_site.ts'
import { rowsOf as rows } from '../storage/_place.ts'
import { fill, workplace, wordsOf } from './_cli.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOTHING = 'There are no days to seal.\n'

const countIn = (folder: string, table: string): number =>
  inDatabase(folder, (database) =>
    database.prepare(`select count(*) from ${table}`).pluck().get(),
  ) as number

const openRecords = (folder: string): number =>
  countIn(folder, 'theme_records') + countIn(folder, 'raw_records')

const sealedRecords = (folder: string): number =>
  inDatabase(folder, (database) =>
    database
      .prepare(
        `select (select coalesce(sum(count), 0) from theme_sealed_parts)
          + (select coalesce(sum(count), 0) from raw_sealed_parts)`,
      )
      .pluck()
      .get(),
  ) as number

/** Corrections, additions and repetitions, in days that are sealed and in one that is not. */
const CORRECTIONS = [
  {
    station: 2001,
    time: THEME.find(({ station }) => station === 2001)!.time,
    values: { waterLevel: -1 },
  },
  { station: 2001, time: Date.UTC(2025, 9, 26, 0, 30), values: { waterLevel: 8.5 } },
  { station: 2001, time: Date.UTC(2025, 9, 26, 1, 30), values: { waterLevel: 9.5 } },
  { station: 1002, time: Date.UTC(2025, 9, 26, 4, 0), values: { strain: 12345.678 } },
  { station: 1002, time: Date.UTC(2025, 9, 26, 4, 0, 1), values: { temperature: 1 } },
  { station: 1001, time: Date.UTC(2025, 5, 1), values: { strain: 5 } },
  THEME[0]!,
]

describe('seal', () => {
  test('prints the number of records, and responses stay the same: sealed, corrected, sealed again, unsealed', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await using twin = await SealSite.open()
    await using site = await SealSite.open(folder)
    const expected = await twin.responses()
    const records = openRecords(folder)
    assertSame(await site.responses(), expected, 'open')

    const first = await place.run(['seal'])
    assert.deepEqual([first.code, wordsOf(first)], [0, ''])
    const [, count, days] =
      /^Sealed ([\d,]+) records? of (\d+) days?; they now take [\d.]+ (bytes|KB|MB)\.\n$/.exec(
        first.stdout,
      )!
    assert.equal(count, records.toLocaleString('en'))
    assert.equal(Number(days), localDaysOfEverything(folder))
    assert.deepEqual([openRecords(folder), sealedRecords(folder)], [0, records])
    assertSame(await site.responses(), expected, 'sealed')

    assert.equal((await place.run(['seal'])).stdout, NOTHING)

    const reports = await Promise.all(
      [site, twin].map(({ service, key }) => send(service, key, 'theme', CORRECTIONS)),
    )
    assert.deepEqual(reports[0], reports[1])
    const corrected = await twin.responses()
    assert.notDeepEqual(corrected, expected)
    assertSame(await site.responses(), corrected, 'corrected')

    const again = await place.run(['seal'])
    assert.match(again.stdout, /^Sealed 6 records? of 4 days?/)
    assert.equal(openRecords(folder), 0)
    assertSame(await site.responses(), corrected, 'sealed again')
    assert.equal((await place.run(['seal'])).stdout, NOTHING)

    for (const structure of ['1', '2']) {
      const opened = await place.run([
        'unseal',
        '--structure',
        structure,
        '--from',
        '2025-10-26',
        '--to',
        '2025-10-26',
      ])
      assert.match(opened.stdout, /^Unsealed [\d,]+ records\.\n$/)
    }
    assertSame(await site.responses(), corrected, 'opened in part')
    for (const structure of ['1', '2'])
      await place.run([
        'unseal',
        '--structure',
        structure,
        '--from',
        '2025-01-01',
        '--to',
        '2025-12-31',
      ])
    assert.deepEqual(
      [openRecords(folder), sealedRecords(folder)],
      [openRecords(twin.service.folder), 0],
    )
    assertSame(await site.responses(), corrected, 'opened')
  })

  test('a day that has begun in UTC and not in local time is skipped without a message', async () => {
    await using place = await workplace()
    const now = Date.now()
    const midnight = now - ((now + 8 * HOUR) % DAY)
    // On both sides of a midnight in Shanghai, within one day of UTC.
    const times = [midnight - HOUR, midnight, midnight + 1_000]
    await fill(place, (storage) => storage.records.write({ theme: rows(1001, times) }))

    const first = await place.run(['seal', '--after-days', '0'])
    const second = await place.run(['seal', '--after-days', '0'])
    const none = await place.run(['seal', '--after-days', '36500'])

    assert.match(first.stdout, /^Sealed 1 records? of 1 days?/)
    assert.equal(second.stdout, NOTHING)
    assert.equal(none.stdout, NOTHING)
    assert.equal(openRecords(join(place.folder, 'data')), 2)
  })

  test('with --structure seals the stations and sensors of that structure only', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    const wire = await fill(place, async (storage) => {
      const sensors = await storage.site.load()
      const key = sensors.sensorKeys.get(IDS.riverGauge)!
      const theme = rows(1001, [0, 1_000])
      for (const { sources, times, records } of [rows(2001, [0, 1_000, 2_000])]) {
        theme.sources.push(...sources)
        theme.times.push(...times)
        theme.records.push(...records)
      }
      await storage.records.write({ theme, raw: rows(key, [0]) })
      return key
    })
    const left = (table: string, source: number) =>
      inDatabase(folder, (database) =>
        database.prepare(`select count(*) from ${table} where source = ?`).pluck().get(source),
      )

    const bare = await place.run(['seal', '--structure', '3'])
    const river = await place.run(['seal', '--structure', '2'])

    assert.equal(bare.stdout, NOTHING)
    assert.match(river.stdout, /^Sealed 4 records? of 2 days?/)
    assert.deepEqual(
      [left('theme_records', 1001), left('theme_records', 2001), left('raw_records', wire)],
      [2, 0, 0],
    )
  })

  test('and unseal refuse wrong arguments with an error, and change nothing', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    await fill(place, (storage) => storage.records.write({ theme: rows(1001, [0, 1_000]) }))
    const days = ['--from', '2026-03-01', '--to', '2026-03-01']

    for (const [args, code, sentence] of [
      [['seal', '--structure', '9'], 1, /^There is no structure 9\.\n$/],
      [['seal', '--structure', 'x'], 2, /^--structure must be a structure id\nusage: /],
      [['seal', '--after-days', '-1'], 2, /after-days/],
      [['seal', '--after-days=-1'], 2, /^--after-days must be a number of 0 or more\nusage: /],
      [['seal', '--after-days', 'two'], 2, /^--after-days must be a number of 0 or more\n/],
      [['seal', '--after-days='], 2, /^--after-days must be a number of 0 or more\n/],
      [['seal', '--after-days', '36501'], 2, /^--after-days must be a number of 0 or more\n/],
      [['unseal', ...days], 2, /^unseal needs --structure with a structure id\nusage: /],
      [['unseal', '--structure', '9', ...days], 1, /^There is no structure 9\.\n$/],
      [['unseal', '--structure', '1'], 2, /^--from must be a day such as 2026-03-01\nusage: /],
      [['unseal', '--structure', '1', '--from', '2026-02-30'], 2, /^--from must be a day such as/],
      [['unseal', '--structure', '1', '--from', '1.3.2026'], 2, /^--from must be a day such as/],
      [['unseal', '--structure', '1', ...days.slice(0, 2)], 2, /^--to must be a day such as/],
      [
        ['unseal', '--structure', '1', '--from', '2026-03-02', '--to', '2026-03-01'],
        2,
        /^--from must not be after --to\nusage: /,
      ],
    ] as const) {
      const refused = await place.run(args)
      assert.deepEqual([refused.code, refused.stdout], [code, ''], args.join(' '))
      assert.match(refused.stderr, sentence)
    }
    const nothing = await place.run(['unseal', '--structure', '1', ...days])

    assert.deepEqual(
      [nothing.code, nothing.stdout],
      [0, 'There are no sealed days in this range.\n'],
    )
    assert.deepEqual([openRecords(folder), sealedRecords(folder)], [2, 0])
  })

  test('interrupted half way leaves every record readable, and continues later', async () => {
    await using place = await workplace()
    const folder = join(place.folder, 'data')
    const days = Array.from({ length: 150 }, (_, day) => day * DAY)
    const times = days.flatMap((day) => Array.from({ length: 500 }, (_, at) => day + at * 60_000))
    await fill(place, (storage) => storage.records.write({ theme: rows(2001, times) }))

    const sealing = place.begin(['seal'])
    while (countIn(folder, 'theme_sealed_parts') < 3) await sleep(2)
    sealing.interrupt()
    const stopped = await sealing.ended
    const sealed = sealedRecords(folder)
    const doctor = await place.run(['doctor'])
    const rest = await place.run(['seal'])

    assert.deepEqual([stopped.code, wordsOf(stopped)], [0, ''])
    assert.match(
      stopped.stdout,
      new RegExp(
        `^Sealed ${countOf(sealed, 'record')} of \\d+ days; .*\nStopped\\. Run the command again to seal the other days\\.\n$`,
      ),
    )
    assert.ok(sealed > 0 && sealed < times.length, String(sealed))
    assert.equal(doctor.code, 0, doctor.stderr)
    assert.match(rest.stdout, new RegExp(`^Sealed ${countOf(times.length - sealed, 'record')} of `))
    assert.deepEqual([openRecords(folder), sealedRecords(folder)], [0, times.length])
  })
})

/** By the clocks of the sources, from the local times of their records. */
function localDaysOfEverything(folder: string): number {
  return inDatabase(folder, (database) =>
    ['theme', 'raw']
      .map((kind) => {
        const rows = database
          .prepare(`select source, newest from ${kind}_sealed_parts`)
          .raw()
          .all() as [number, string][]
        return new Set(rows.map(([source, newest]) => `${source} ${newest.slice(-21, -11)}`)).size
      })
      .reduce((sum, count) => sum + count),
  )
}
