import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { COMMANDS } from '../../src/cli/commands.ts'
import { MAPPING, HEADER, row } from '../ingest/_watched.ts'
import { rowsOf as rows } from '../storage/_place.ts'
import { SITE } from '../_site.ts'
import { fill, workplace } from './_cli.ts'

const DAY = 86_400_000
const WINDOW = ['--from', '1970-01-01', '--to', '1970-01-31']

/** Commands whose output is no result for a script. */
const WITHOUT = new Set(['serve', 'export', 'demo', 'completion'])

describe('--json', () => {
  test('is a flag of every command with a result', async () => {
    for (const [name, load] of Object.entries(COMMANDS)) {
      const { options, usage, help } = await load()

      assert.equal(Object.hasOwn(options, 'json'), !WITHOUT.has(name), name)
      if (WITHOUT.has(name)) continue
      assert.match(usage, /\[--json\]/, name)
      assert.match(help, /^ +--json /m, name)
    }
  })

  test('prints one object for commands that seal, delete, undo and restore', async () => {
    await using place = await workplace()
    const times = [0, 1_000, DAY]
    await fill(place, (storage) => storage.records.write({ theme: rows(2001, times) }))
    const deletion = ['records', 'delete', '--station', '2001', ...WINDOW]

    const sealed = await place.json('seal')
    const preview = await place.json(...deletion)
    const unsealed = await place.json('unseal', '--structure', '2', ...WINDOW)
    const deleted = await place.json(...deletion, '--yes')
    const undone = await place.json('undo', String(deleted.change))
    const expired = await place.json('retention')
    const migrated = await place.json('migrate')

    assert.deepEqual([sealed.records, sealed.days, sealed.damages], [3, 2, []])
    assert.deepEqual([preview.records.theme, preview.change], [3, null])
    assert.deepEqual(unsealed, { records: 3 })
    assert.deepEqual([deleted.records.theme, deleted.alarms], [3, []])
    assert.deepEqual(undone, {
      change: deleted.change,
      records: { removed: 0, restored: 3, left: 0 },
      waveforms: { removed: 0, restored: 0, left: 0 },
      alarms: [],
      isDone: true,
    })
    assert.deepEqual(expired, { expired: [], isDeleted: false })
    assert.deepEqual([migrated.from, migrated.steps, migrated.isMigrated], [migrated.to, [], false])
  })

  test('prints one object for an import, with the lines about files on standard error', async () => {
    await using place = await workplace()
    await fill(place, async () => undefined)
    await writeFile(join(place.folder, 'm.yaml'), `delimiter: ;\n${MAPPING}`)
    await writeFile(join(place.folder, 'a.csv'), `${HEADER}${row(1, 5)}${row(2, 6)}`)
    await writeFile(join(place.folder, 'b.csv'), `${HEADER}x;7\n${row(3, 7)}`)
    const args = ['import', '--mapping', 'm.yaml', '--json']

    const whole = await place.run([...args, 'a.csv'])
    const part = await place.run([...args, 'b.csv'])

    assert.equal(whole.code, 0, whole.stderr)
    assert.deepEqual(JSON.parse(whole.stdout), {
      change: 1,
      records: 2,
      waveforms: 0,
      isWhole: true,
    })
    assert.match(whole.stderr, /^a\.csv: /m)
    assert.equal(part.code, 1)
    assert.deepEqual(JSON.parse(part.stdout), {
      change: 2,
      records: 1,
      waveforms: 0,
      isWhole: false,
    })
  })

  test('prints one object for a site file, and what was revoked or ended', async () => {
    await using place = await workplace()
    await writeFile(join(place.folder, 'site.yaml'), SITE)

    const planned = await place.run(['site', 'apply', 'site.yaml', '--json'])
    const again = await place.json('site', 'apply', 'site.yaml', '--dry-run')
    const { appId } = await place.json('app', 'create', '--user', '1')
    await place.json('key', 'create', '--name', 'logger')
    const until = ['--from', '2036-01-01T00:00Z', '--to', '2036-01-02T00:00Z']
    const { id } = await place.json('maintenance', 'add', ...until, '--reason', 'work')

    assert.equal(planned.code, 0, planned.stderr)
    assert.equal(JSON.parse(planned.stdout).isDryRun, false)
    assert.equal(again.isDryRun, true)
    assert.ok(Array.isArray(again.lines))
    assert.deepEqual(await place.json('app', 'revoke', appId), { appId, isRevoked: true })
    assert.deepEqual(await place.json('key', 'revoke', '--name', 'logger'), {
      name: 'logger',
      isRevoked: true,
    })
    assert.deepEqual(await place.json('maintenance', 'end', String(id)), { id, isEnded: true })
  })

  test('prints the differences of a recomputation by station', async () => {
    await using place = await workplace()
    await fill(place, async () => undefined)

    const { stations, change } = await place.json('recompute', '--structure', '1', ...WINDOW)

    assert.equal(change, null)
    assert.ok(stations.length > 0)
    for (const { station, items } of stations)
      assert.deepEqual([typeof station, typeof items], ['number', 'object'])
  })
})
