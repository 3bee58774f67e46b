import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { IDS } from '../_site.ts'
import { localText, readRecords, rowsOf } from '../storage/_place.ts'
import { fill, workplace, type Served } from './_cli.ts'
import { putWaveform } from '../_waveforms.ts'

const DAY = 86_400_000
const LATER = Date.UTC(2036, 2, 2, 4)
const IN_2036 = ['--from', '2036-01-01', '--to', '2036-12-31']
const DELETE = ['records', 'delete', '--station', '1001', ...IN_2036]

test('records delete shows what it would delete, deletes it with --yes, and undo restores it', async () => {
  await using place = await workplace()
  const times = Array.from({ length: 5_000 }, (_, at) => LATER - at * 60_000)
  await fill(place, (storage) =>
    storage.records.write({ theme: rowsOf(1001, [Date.UTC(2026, 2, 1), ...times]) }),
  )

  const shown = await place.run(DELETE)
  const dry = await place.run([...DELETE, '--dry-run'])
  const real = await place.run([...DELETE, '--yes'])
  const again = await place.run([...DELETE, '--yes'])
  const [change] = await place.json('changes')
  const undone = await place.run(['undo', '1'])

  const table =
    'theme  raw  vibration  traffic  derived from raw\n5000   0    0          0        0\n'
  assert.equal(shown.stdout, `${table}Nothing was deleted. Add --yes to delete these records.\n`)
  assert.equal(dry.stdout, shown.stdout)
  assert.equal(
    real.stdout,
    `${table}Deleted as change 1; run "plumbline undo 1" to restore the records.\n`,
    real.stderr,
  )
  assert.equal(again.stdout, 'There are no records to delete.\n')
  assert.deepEqual([change.kind, change.records], ['deletion', 5_000])
  assert.match(
    undone.stdout,
    /^Undid change 1 \(station 1001: theme, vibration from .*: 0 records removed, 5,000 records restored/,
  )
  await using storage = await openSqlite(join(place.folder, 'data'))
  assert.equal((await readRecords(storage, { source: 1001 })).length, 5_001)
})

test('the same command continues an interrupted deletion under the same change', async () => {
  await using place = await workplace()
  await fill(place, async (storage) => {
    await storage.records.write({ theme: rowsOf(1001, [LATER, LATER - DAY]) })
    const description =
      'station 1001: theme, vibration from 2035-12-31 16:00:00 UTC to 2036-12-31 15:59:59 UTC'
    const change = await storage.changes.begin({ kind: 'deletion', description, startedAt: 1 })
    const theme = { sources: [1001], times: [LATER] }
    await storage.records.write({}, { change, deletions: { theme } })
  })

  const { stdout } = await place.run([...DELETE, '--yes'])
  const changes = await place.json('changes')

  assert.match(stdout, /Deleted as change 1/)
  assert.deepEqual(
    changes.map(({ records }: any) => records),
    [2],
  )
})

test('records delete names missing arguments', async () => {
  await using place = await workplace()
  await fill(place, async () => undefined)
  const cases: [string[], number, RegExp][] = [
    [['records'], 2, /The subcommand is missing; expected: delete, mark\./],
    [
      ['records', 'delete', ...IN_2036],
      2,
      /needs exactly one of --station, --sensor and --structure/,
    ],
    [
      ['records', 'delete', '--station', '1001', '--from', '2036-01-01'],
      2,
      /needs --to with a time/,
    ],
    [
      [...DELETE, '--kind', 'all'],
      2,
      /--kind must be one or more of theme, raw, vibration, traffic/,
    ],
    [[...DELETE, '--kind', 'traffic'], 1, /station 1001 has no traffic records of its own/],
    [['records', 'delete', '--station', '9', ...IN_2036], 1, /There is no station 9/],
  ]

  for (const [args, code, message] of cases) {
    const result = await place.run(args)
    assert.equal(result.code, code, result.stderr)
    assert.match(result.stderr, message)
  }
})

test('a running service sees what the command deleted, and the next record raises an alarm', async () => {
  await using place = await workplace()
  await fill(place, (storage) => storage.records.write({ theme: rowsOf(1001, [LATER]) }))
  const { key } = await place.json('key', 'create', '--name', 'logger')
  const credentials = await place.json('app', 'create', '--user', '1')
  const service = await place.serve(['--port', '0'])
  const { token } = (await service.issueToken(credentials)).json()
  const now = Date.now()
  // The service remembers the newest record, which is one of the future.
  await send(service, key, now - 2000, 1)

  const deleted = await place.run([...DELETE, '--yes'])
  await send(service, key, now - 1000, 400)

  assert.match(deleted.stdout, /Deleted as change 1/)
  assert.equal(await countAlarms(service, token), 1)
})

async function send(service: Served, key: string, time: number, strain: number): Promise<void> {
  const response = await service.call('/ingest/v1/theme', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records: [{ station: 1001, time, values: { strain } }] }),
  })
  assert.equal(response.json().accepted, 1)
}

async function countAlarms(service: Served, token: string): Promise<number> {
  const path = `/api/v1/users/1/alarms/new/count?token=${token}`
  return (await service.call(path)).json().count
}

test('records delete counts the same before and after, each record once', async () => {
  await using place = await workplace()
  const times = [0, 1, 2].map((at) => LATER - at * 60_000)
  await fill(place, async (storage) => {
    const sensor = (await openCatalogue(storage.site)()).sensors.get(IDS.gauge)!
    const raw = { ...rowsOf(sensor.key, times), records: times.map((time) => rawAt(time)) }
    await storage.records.write({ raw, theme: rowsOf(1004, [...times, LATER - DAY]) })
    await putWaveform(
      storage,
      {
        station: 1031,
        trigger: { time: LATER, nanoseconds: 0 },
        sampleFreq: '100',
        unit: 'cm/s2',
        samples: Float64Array.of(1, 2),
      },
      ({ collectTime }) => rowsOf(1031, [collectTime]),
    )
  })
  const command = ['records', 'delete', '--structure', '1', ...IN_2036]

  const shown = await place.run(command)
  const real = await place.run([...command, '--yes'])
  const again = await place.run(command)

  const table =
    'theme  raw  vibration  traffic  derived from raw\n2      3    1          0        3\n'
  assert.equal(shown.stdout, `${table}Nothing was deleted. Add --yes to delete these records.\n`)
  assert.equal(
    real.stdout,
    `${table}Deleted as change 1; run "plumbline undo 1" to restore the records.\n`,
    real.stderr,
  )
  assert.equal(again.stdout, 'There are no records to delete.\n')
})

const rawAt = (time: number): string => `{"reading":5,"time":"${localText(time)}"}`
