import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { RecordIngest } from '../../src/ingest/record-ingest.ts'
import { IngestClock } from '../../src/ingest/records/ingest-clock.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { CELL_RECORDS, derivedSite } from '../_derived-site.ts'
import { workplace, type Workplace } from './_cli.ts'

const COMMAND = ['recompute', '--structure', '1', '--from', '2026-01-05', '--to', '2026-01-05']

/** The command with another value of a flag. */
const other = (flag: string, value: string) =>
  COMMAND.map((part, at) => (COMMAND[at - 1] === flag ? value : part))

/** A day of raw records and station values by a factor of 2, then a site with another factor. */
async function prepare(place: Workplace, k: number): Promise<void> {
  await using storage = await openSqlite(join(place.folder, 'data'))
  await applySite(storage, { text: derivedSite(2), fileName: 'site.yaml' })
  const clock = new IngestClock({ now: Date.now })
  await RecordIngest.open({ storage, clock }).raw(CELL_RECORDS)
  await applySite(storage, { text: derivedSite(k), fileName: 'site.yaml' })
}

test('recompute shows what changes, stores it with --yes, and undo restores it', async () => {
  await using place = await workplace()
  await prepare(place, 5)

  const shown = await place.run(COMMAND)
  const stored = await place.run([...COMMAND, '--commit'])
  const again = await place.run(COMMAND)
  const [, change] = /change (\d+)/.exec(stored.stdout) ?? []
  const undone = await place.run(['undo', change ?? ''])
  const asBefore = await place.run(COMMAND)

  assert.equal(shown.code, 0, shown.stderr)
  assert.match(shown.stdout, /^Checked 24 records of 3 stations; 1 station with differences\.$/m)
  assert.match(
    shown.stdout,
    /strain: 23 values, largest difference 69; alarms 3007 level 1: 0 before, 1 after/,
  )
  assert.match(shown.stdout, /Nothing was stored\. Add --commit to store the result\.\n$/)
  assert.match(stored.stdout, /Stored as change \d+; run "plumbline undo \d+" to undo it\.\n$/)
  assert.match(again.stdout, /Checked 24 records of 3 stations: no differences\./)
  assert.equal(undone.code, 0, undone.stderr)
  assert.deepEqual(asBefore.stdout, shown.stdout)
})

test('an interrupted recomputation continues under its number', async () => {
  await using place = await workplace()
  await prepare(place, 5)
  {
    await using storage = await openSqlite(join(place.folder, 'data'))
    const description = 'structure 1 from 2026-01-05 00:00:00 to 2026-01-05 23:59:59'
    await storage.changes.begin({ kind: 'recompute', description, startedAt: 1 })
    await storage.changes.begin({ kind: 'recompute', description: 'another', startedAt: 2 })
  }

  const stored = await place.run([...COMMAND, '--commit'])

  assert.match(stored.stdout, /Stored as change 1;/)
})

test('an invalid date, a missing structure and a reversed window are refused', async () => {
  await using place = await workplace()
  await prepare(place, 5)

  for (const [args, sentence] of [
    [other('--from', '2026-02-30'), '--from must be a valid time'],
    [other('--from', '2026-01-06'), '--from must not be after --to'],
    [other('--structure', '77'), 'There is no structure 77.'],
    [COMMAND.slice(0, 1), 'recompute needs --structure'],
  ] as const) {
    const { code, stderr } = await place.run(args)
    assert.notEqual(code, 0)
    assert.ok(stderr.includes(sentence), stderr)
  }
})

test('a structure without derivation has nothing to recompute', async () => {
  await using place = await workplace()
  await prepare(place, 5)

  const { stdout } = await place.run(COMMAND.map((part) => (part === '1' ? '9' : part)))

  assert.equal(stdout, 'No station of structure 9 is computed from raw values.\n')
})
