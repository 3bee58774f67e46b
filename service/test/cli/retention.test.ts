import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { confirmedAt } from '../../src/domain/time/trusted-clock.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { SITE } from '../_site.ts'
import { rowsOf } from '../storage/_place.ts'
import { fill, workplace, type Workplace } from './_cli.ts'

const DAY = 86_400_000
const RIVER = '    timeZone: Europe/Berlin\n'
const KEPT = SITE.replace(RIVER, `${RIVER}    retention: { theme: 1y }\n`)
const TABLE = 'structure  theme  raw  vibration  traffic\n2          3      0    0          0\n'
const NOTHING = 'There are no expired records.\n'

/** A folder with three records past their term, and a clock that the service has seen at an instant. */
async function withOldRecords(place: Workplace, trustedAt?: number): Promise<void> {
  await writeFile(join(place.folder, 'site.yaml'), KEPT)
  const days = [1, 2, 3].map((day) => Date.UTC(2024, 0, day, 12))
  await fill(place, async (storage) => {
    await applySite(storage, { text: KEPT, fileName: 'site.yaml' })
    await storage.records.write({ theme: rowsOf(2001, days) })
    if (trustedAt !== undefined) await storage.clock.write(confirmedAt(trustedAt), 0)
  })
}

test('retention shows what it would delete, deletes it with --yes, and then finds nothing', async () => {
  await using place = await workplace()
  await withOldRecords(place, Date.now())

  const other = await place.run(['retention', '--structure', '1', '--yes'])
  const shown = await place.run(['retention'])
  const dry = await place.run(['retention', '--dry-run'])
  const real = await place.run(['retention', '--yes'])
  const again = await place.run(['retention', '--yes'])
  const unknown = await place.run(['retention', '--structure', '9'])
  const both = await place.run(['retention', '--yes', '--dry-run'])

  const shows = `${TABLE}Nothing was deleted. Add --yes to delete these records.\n`
  assert.equal(other.stdout, NOTHING)
  assert.equal(shown.stdout, shows)
  assert.equal(dry.stdout, shows)
  assert.equal(real.stdout, `${TABLE}These records were deleted.\n`)
  assert.equal(again.stdout, NOTHING)
  assert.equal(unknown.stderr, 'There is no structure 9.\n')
  assert.match(both.stderr, /Use either --yes or --dry-run./)
  assert.deepEqual(
    [other, shown, dry, real, again, unknown, both].map(({ code }) => code),
    [0, 0, 0, 0, 0, 1, 2],
  )
})

test('retention deletes nothing by a clock that is not trusted, until it is confirmed', async () => {
  for (const [trustedAt, reason] of [
    [
      Date.now() - 400 * DAY,
      /but the last trusted time is .* If the clock is right, add --confirm-clock/,
    ],
    [undefined, /but no running service has confirmed it yet/],
  ] as const) {
    await using place = await workplace()
    await withOldRecords(place, trustedAt)

    const refused = await place.run(['retention', '--yes'])
    const shown = await place.run(['retention'])
    const confirmed = await place.run(['retention', '--yes', '--confirm-clock'])

    assert.equal(refused.code, 1)
    assert.match(refused.stderr, reason)
    assert.ok(shown.stdout.startsWith(TABLE))
    assert.match(confirmed.stdout, /^The clock is confirmed: .*UTC\.\n/)
    assert.ok(confirmed.stdout.endsWith(`${TABLE}These records were deleted.\n`))
  }
})

test('the command forget is called retention', async () => {
  await using place = await workplace()

  const { code, stderr } = await place.run(['forget'])

  assert.equal(code, 2)
  assert.match(stderr, /Unknown command "forget"/)
  assert.match(stderr, /retention +delete records whose retention period has ended/)
})

test('the settings file can be a pipe, which is read once', { timeout: 20_000 }, async () => {
  await using place = await workplace()
  await withOldRecords(place, Date.now())
  const pipe = join(place.folder, 'settings.pipe')
  execFileSync('mkfifo', [pipe])

  const [result] = await Promise.all([
    place.run(['retention', '--config', pipe]),
    writeFile(pipe, 'retention:\n  maxClockJumpHours: 48\n'),
  ])

  assert.deepEqual([result.code, result.stderr], [0, ''])
})
