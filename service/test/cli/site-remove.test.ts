import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { EVER } from '../storage/_place.ts'
import { workplace, wordsOf, type Workplace } from './_cli.ts'
import { apply, GAUGE, PIT, recordsOf, storePit } from './_meaning.ts'

const changed = (from: string | RegExp, to: string): string => {
  assert.notEqual(PIT.replace(from, to), PIT, String(from))
  return PIT.replace(from, to)
}

const WITHOUT_STATION = changed(', { id: 12, name: S-2 }', '').replace('[11, 12]', '[11]')
const WITHOUT_SHAFT = PIT.slice(0, PIT.indexOf('  - id: 2\n    name: Shaft'))
const DEVICES = /    devices:\n(?:      - .*\n)+/

async function pit(): Promise<Workplace> {
  const place = await workplace()
  await storePit(place)
  return place
}

async function putVehicle(place: Workplace): Promise<void> {
  await using storage = await openSqlite(join(place.folder, 'data'))
  const vehicle = { overload: false, license: '', load: 1, record: '{}', details: '{}' }
  await storage.traffic.write([{ structure: 2, time: 0, identity: 'id 1', ...vehicle }])
}

const NOTE =
  'note: records that are deleted with their station, device or structure cannot be restored\n'

describe('a station or device that a file no longer has', () => {
  test('is not removed with its records, which are counted', async () => {
    await using place = await pit()

    const refused = await apply(place, WITHOUT_STATION)
    const dry = await apply(place, WITHOUT_STATION, ['--dry-run'])
    const device = await apply(place, changed(DEVICES, ''))

    for (const { code, stderr } of [refused, dry]) {
      assert.equal(code, 1)
      assert.equal(
        stderr,
        'The file no longer has station 12, which has stored records. Put it back into the file, or run with --delete-records to remove it with its records.\nstation 12 S-2: 10 records\n',
      )
    }
    assert.match(device.stderr, new RegExp(`\ndevice ${GAUGE} G-1: 3 raw records\n$`))
    assert.equal((await recordsOf(place, 'theme', 12)).length, 10)
  })

  test('is removed with --delete-records once a person has confirmed it on the terminal', async () => {
    await using place = await pit()
    const flags = ['--delete-records']

    const dry = await apply(place, WITHOUT_STATION, [...flags, '--dry-run'])
    const alone = await apply(place, WITHOUT_STATION, flags)
    const denied = await apply(place, WITHOUT_STATION, flags, { answer: 'y' })
    const kept = await recordsOf(place, 'theme', 12)
    const confirmed = await apply(place, WITHOUT_STATION, flags, { answer: ' yes ' })

    assert.equal(dry.code, 0)
    assert.ok(dry.stdout.startsWith(`! station 12 S-2: 10 records will be deleted\n${NOTE}`))
    assert.equal(alone.code, 1)
    assert.match(
      alone.stderr,
      /^! station 12 .*\n.*\nThere is no terminal.*: add --yes\. Nothing was changed\.\n$/,
    )
    assert.equal(denied.code, 1)
    assert.match(denied.stderr, /^! station 12 .*\n.*\nNot confirmed\. Nothing was changed\.\n$/)
    assert.equal(kept.length, 10)
    assert.equal(confirmed.code, 0, confirmed.stderr)
    assert.match(confirmed.stdout, /^- station 12 S-2$/m)
    assert.deepEqual(await recordsOf(place, 'theme', 12), [])
  })

  test('is removed without a question with --yes, or where it has no records', async () => {
    await using place = await pit()

    const without = await apply(place, changed(/ {6}- \{ id: \S+1a02, .*\n/, ''))
    const removed = await apply(place, WITHOUT_STATION, ['--delete-records', '--yes'])

    assert.deepEqual([without.code, removed.code], [0, 0], removed.stderr)
  })
})

describe('a structure that a file no longer has', () => {
  test('stays without --remove', async () => {
    await using place = await pit()

    const { stdout } = await apply(place, WITHOUT_SHAFT)

    assert.equal(stdout, 'nothing to change\n')
  })

  test('is removed with --remove once it is confirmed, with records only by --delete-records', async () => {
    await using place = await pit()
    await putVehicle(place)

    const held = await apply(place, WITHOUT_SHAFT, ['--remove', '--yes'])
    const dry = await apply(place, WITHOUT_SHAFT, ['--remove', '--delete-records', '--dry-run'])
    const alone = await apply(place, WITHOUT_SHAFT, ['--remove', '--delete-records'])
    const removed = await apply(place, WITHOUT_SHAFT, ['--remove', '--delete-records', '--yes'])
    const again = await apply(place, WITHOUT_SHAFT, ['--remove'])

    assert.match(
      held.stderr,
      /^The file no longer has station 21, structure 2, which have stored records\..*\nstation 21 T-1: 10 records\nstructure 2 Shaft: 1 vehicle\n$/,
    )
    assert.match(dry.stdout, /^! structure 2 Shaft: 1 vehicle will be deleted$/m)
    assert.match(dry.stdout, /^- structure 2 Shaft$/m)
    assert.match(alone.stderr, /^! structure 2 Shaft will be removed\n/)
    assert.equal(removed.code, 0, removed.stderr)
    assert.equal(again.stdout, 'nothing to change\n')
    await using storage = await openSqlite(join(place.folder, 'data'))
    assert.equal(await storage.traffic.count({ structure: 2, ...EVER }), 0)
    const { entries } = await storage.site.load()
    assert.ok(!entries.some((entry) => 'structure' in entry && entry.structure === 2))
  })

  test('is asked for on the terminal though it has no records', async () => {
    await using place = await workplace()
    await apply(place, PIT)

    const denied = await apply(place, WITHOUT_SHAFT, ['--remove'], { answer: '' })
    const confirmed = await apply(place, WITHOUT_SHAFT, ['--remove'], { answer: 'yes' })

    assert.equal(
      wordsOf(denied),
      '! structure 2 Shaft will be removed\nNot confirmed. Nothing was changed.\n',
    )
    assert.equal(confirmed.code, 0, confirmed.stderr)
  })

  test('leaves the users of other structures, who do not see it any more, and its id is free', async () => {
    await using place = await workplace()
    const ofAll = PIT.replace(
      /^users:.*$/m,
      'users: [{ id: 2, name: Both, structures: [1, 2] }, { id: 3, name: Shaft, structures: [2] }]',
    )
    await apply(place, ofAll)
    const withoutUsers = WITHOUT_SHAFT.replace(/^users:.*\n/m, '')

    const dangling = await apply(
      place,
      ofAll.slice(0, ofAll.indexOf('  - id: 2\n    name: Shaft')),
      ['--remove', '--yes'],
    )
    const removed = await apply(place, withoutUsers, ['--remove', '--yes'])
    const back = await apply(place, ofAll.replace(/^users:.*\n/m, ''))

    assert.match(dangling.stderr, /users\[0\]\.structures\[1\]: there is no structure 2/)
    assert.match(removed.stdout, /^~ user 2 Both: structures \[1,2\] -> \[1\]$/m)
    assert.match(removed.stdout, /^~ user 3 Shaft: structures \[2\] -> \[\]$/m)
    assert.match(back.stdout, /^\+ structure 2 Shaft$/m)
    assert.doesNotMatch(back.stdout, /user/)
  })

  test('is not removed by a file without a list of structures', async () => {
    await using place = await workplace()
    await apply(place, PIT)

    const { stdout } = await apply(place, PIT.slice(0, PIT.indexOf('structures:\n')), ['--remove'])

    assert.equal(stdout, 'nothing to change\n')
  })
})

test('a user that a file no longer has is removed with --remove, whatever it sees', async () => {
  await using place = await workplace()
  await apply(place, PIT)
  const others = WITHOUT_SHAFT.replace(
    /^users:.*$/m,
    'users: [{ id: 2, name: B, structures: [1] }]',
  )

  const kept = await apply(place, others)
  const removed = await apply(place, others.concat(PIT.slice(WITHOUT_SHAFT.length)), ['--remove'])

  assert.match(kept.stdout, /note: user 1 is not in this file and keeps access to all structures/)
  assert.match(removed.stdout, /^- user 1 Office$/m)
})
