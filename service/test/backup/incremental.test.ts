import assert from 'node:assert/strict'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { DAYS, fillFolder, START, strains } from '../cli/_full-site.ts'
import { fill, workplace, wordsOf, type Workplace } from '../cli/_cli.ts'
import { randomNumbers, runs, SEED } from '../_random.ts'
import { assertSameRows, readRows } from './_rows.ts'

const DAY = 86_400_000

const words = (text: string): string[] => text.split(' ')

type Place = Workplace & { data: string }

async function filledPlace(): Promise<Place> {
  const place = await workplace()
  await fillFolder(join(place.folder, 'data'))
  return Object.assign(place, { data: join(place.folder, 'data') })
}

async function backUp(place: Workplace): Promise<{ backup: string; bytes: number }> {
  const { code, stdout, stderr } = await place.run(['backup', 'backups', '--json'])
  assert.deepEqual([code, wordsOf({ stderr })], [0, ''])
  return JSON.parse(stdout)
}

/** The rows of waveforms that the folder is filled with have no samples, which is damage. */
async function assertRestores(
  place: Workplace,
  backup: string,
  expected: Record<string, string>,
): Promise<void> {
  const { code, stderr } = await place.run(
    words(`restore ${backup} --data restored --accept-damage`),
  )
  assert.deepEqual([code, wordsOf({ stderr })], [0, ''])
  assertSameRows(join(place.folder, 'restored'), expected)
  await rm(join(place.folder, 'restored'), { recursive: true })
}

/** What changes sealed days, by chance. */
async function change(place: Place, random: () => number): Promise<void> {
  const day = Math.floor(random() * 5)
  const date = new Date(START + day * DAY).toISOString().slice(0, 10)
  const station = random() < 0.5 ? 1001 : 1002
  const range = `--from ${date} --to ${date}`
  const commands = [
    words(`unseal --structure 1 ${range}`),
    words(`records delete --station ${station} ${range} --yes`),
    words('seal'),
    words('seal --after-days 0'),
  ]
  const chosen = commands[Math.floor(random() * (commands.length + 2))]
  if (chosen !== undefined) {
    const { code, stderr } = await place.run(chosen)
    assert.equal(code, 0, stderr)
    return
  }
  await using storage = await openSqlite(place.data)
  // A correction, or a new day.
  const from = random() < 0.5 ? START + day * DAY : Date.now() - random() * 100 * DAY
  await storage.records.write({ theme: strains(station, Math.floor(from), 20) })
}

describe(`backups of one database, seed ${SEED}`, () => {
  test('a backup and one that builds on it restore every row of their instant', async () => {
    await using place = await filledPlace()
    const made: { backup: string; rows: Record<string, string> }[] = []
    const random = randomNumbers()

    for (let at = 0; at < runs(12, 3); at++) {
      const rows = readRows(place.data)
      made.push({ backup: (await backUp(place)).backup, rows })
      for (let changes = 0; changes < 4; changes++) await change(place, random)
    }

    for (const { backup, rows } of made) await assertRestores(place, backup, rows)
  })

  test('a backup copies no sealed day that an earlier one has', async () => {
    await using place = await filledPlace()

    const { bytes: first } = await backUp(place)
    const { bytes: second, backup } = await backUp(place)

    assert.ok(second < first * 0.9, `${second} of ${first} bytes`)
    assert.equal((await readdir(join(place.folder, 'backups', 'segments'))).length, 1)
    await assertRestores(place, backup, readRows(place.data))
  })

  test('a database that was replaced by a restored one never uses the days of its former future', async () => {
    await using place = await filledPlace()
    const { backup } = await backUp(place)
    await backUp(place)
    await change(place, () => 0)
    await place.run(words('seal --after-days 0'))
    await backUp(place)
    await rm(place.data, { recursive: true })
    assert.equal((await place.run(['restore', backup, '--accept-damage'])).code, 0)
    {
      await using storage = await openSqlite(place.data)
      await storage.records.write({ theme: strains(1002, START + 2 * DAY + 1000, 99) })
    }
    assert.equal((await place.run(words('seal --after-days 0'))).code, 0)

    const rows = readRows(place.data)
    const next = await backUp(place)

    await assertRestores(place, next.backup, rows)
  })

  test('more than thirty small segments become one, and backups before and after restore', async () => {
    await using place = await filledPlace()
    const made: { backup: string; segments: number; rows: Record<string, string> }[] = []
    for (let day = 0; day < 32; day++) {
      {
        await using storage = await openSqlite(place.data)
        await storage.records.write({ theme: strains(1002, START + (DAYS + day) * DAY, 20) })
      }
      assert.equal((await place.run(words('seal --after-days 0'))).code, 0)
      const rows = readRows(place.data)
      const { backup } = await backUp(place)
      const manifest = await readFile(join(place.folder, backup, 'manifest.json'), 'utf8')
      made.push({ backup, rows, segments: JSON.parse(manifest).segments.length })
    }

    const counts = made.map(({ segments }) => segments)
    const merged = counts.findIndex((count, at) => count < (counts[at - 1] ?? 0))
    assert.deepEqual([Math.max(...counts), counts[merged]], [31, 1])
    for (const { backup, rows } of [made[0]!, made[merged - 1]!, made[merged]!, made.at(-1)!])
      await assertRestores(place, backup, rows)
  })

  test('--keep removes the oldest backups with what only they need', async () => {
    await using place = await workplace()
    const data = join(place.folder, 'data')
    await fill(place, (storage) => storage.records.write({ theme: strains(1001, START, 999) }))
    assert.equal((await place.run(words('seal'))).code, 0)
    await backUp(place)
    const days = words('unseal --structure 1 --from 2026-02-01 --to 2026-02-09')
    for (const command of [days, ['seal']]) assert.equal((await place.run(command)).code, 0)
    const rows = readRows(data)

    const { code } = await place.run(words('backup backups --keep 1'))

    const names = await readdir(join(place.folder, 'backups'))
    const kept = names.filter((name) => name.endsWith('Z'))
    const segments = await readdir(join(place.folder, 'backups', 'segments'))
    assert.deepEqual([code, kept.length, segments], [0, 1, [`${kept[0]}.db`]])
    await assertRestores(place, 'backups', rows)
  })
})
