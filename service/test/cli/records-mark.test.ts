import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { readRecords, rowsOf } from '../storage/_place.ts'
import { fill, workplace, wordsOf, type Served } from './_cli.ts'

const MINUTE = 60_000
const FIRST = Date.UTC(2026, 2, 1, 4)
const SPAN = ['--from', '2026-03-01', '--to', '2026-03-31']
const MARK = ['records', 'mark', '--station', '1001', ...SPAN, '--quality', 'bad: cable cut']

/** Records of station 1001, one a minute, with a strain. */
const strains = (count: number) => {
  const rows = rowsOf(
    1001,
    Array.from({ length: count }, (_, at) => FIRST + at * MINUTE),
  )
  return { ...rows, records: rows.records.map((text) => text.replace('"v"', '"strain"')) }
}

async function readStation(folder: string) {
  await using storage = await openSqlite(join(folder, 'data'))
  return await readRecords(storage, { source: 1001 })
}

test('records mark counts values, marks them with --yes, and undo restores them', async () => {
  await using place = await workplace()
  await fill(place, (storage) => storage.records.write({ theme: strains(3_000) }))
  const before = await readStation(place.folder)

  const shown = await place.run(MARK)
  const dry = await place.run([...MARK, '--dry-run'])
  const real = await place.run([...MARK, '--yes'])
  const left = await readStation(place.folder)
  const again = await place.run([...MARK, '--yes'])
  const [change] = await place.json('changes')
  const undone = await place.run(['undo', '1'])

  const count = '3,000 values of 3,000 station records.\n'
  assert.equal(shown.stdout, `${count}Nothing was marked. Add --yes to mark these values.\n`)
  assert.equal(dry.stdout, shown.stdout)
  assert.equal(
    real.stdout,
    `${count}Marked as change 1; run "plumbline undo 1" to restore what was there before.\n`,
    real.stderr,
  )
  assert.match(real.stderr, /"command":"records mark".*"change":1,"structures":\[1\]/)
  assert.deepEqual(left, [])
  assert.equal(again.stdout, 'There are no values to mark.\n')
  assert.deepEqual([change.kind, change.records], ['marking', 3_000])
  assert.match(undone.stdout, /^Undid change 1 \(station 1001: theme, all items as bad: cable cut/)
  assert.deepEqual(await readStation(place.folder), before)
})

test('the same command continues an interrupted marking under the same change', async () => {
  await using place = await workplace()
  await fill(place, async (storage) => {
    await storage.records.write({ theme: strains(3) })
    const description =
      'station 1001: theme, all items as bad: cable cut from 2026-02-28 16:00:00 UTC to 2026-03-31 15:59:59 UTC'
    await storage.changes.begin({ kind: 'marking', description, startedAt: 1 })
  })

  const result = await place.json(...MARK, '--yes')

  assert.deepEqual(result, { records: 3, values: 3, ended: [], restored: [], change: 1 })
  assert.equal((await place.json('changes')).length, 1)
})

test('records mark takes several items, and names what is wrong', async () => {
  await using place = await workplace()
  await fill(place, (storage) => storage.records.write({ theme: strains(1) }))

  const two = await place.json(...MARK, '--item', 'strain', '--item', 'temperature')
  assert.deepEqual([two.values, two.change], [1, null])
  const structure = ['records', 'mark', '--structure', '1', ...SPAN, '--quality', 'bad']
  assert.equal((await place.json(...structure)).values, 1)
  const cases: [string[], number, RegExp][] = [
    [[...MARK, '--item', 'x'], 1, /station 1001 has no item "x"/],
    [[...MARK, '--kind', 'traffic'], 2, /records mark knows the kinds theme and raw/],
    [[...MARK, '--kind', 'raw'], 1, /station 1001 has no raw records of its own/],
    [[...MARK, '--yes', '--dry-run'], 2, /Use either --yes or --dry-run/],
    [MARK.slice(0, -2), 2, /records mark needs --quality with bad, uncertain or good/],
    [[...MARK.slice(0, -1), 'broken'], 2, /--quality is "broken", expected good, uncertain or bad/],
    [['records', 'delete', '--station', '1001', ...SPAN, '--item', 'strain'], 2, /knows no/],
  ]
  for (const [args, code, message] of cases) {
    const result = await place.run(args)
    assert.equal(result.code, code, wordsOf(result))
    assert.match(wordsOf(result), message)
  }
})

test('an alarm ends with values that are marked, and undo opens it again, beside a running service', async () => {
  await using place = await workplace()
  await fill(place, async () => undefined)
  const { key } = await place.json('key', 'create', '--name', 'logger')
  const credentials = await place.json('app', 'create', '--user', '1')
  const service = await place.serve(['--port', '0'])
  const { token } = (await service.issueToken(credentials)).json()
  const now = Date.now()
  await send(service, key, now - 2 * MINUTE, 1)
  await send(service, key, now - MINUTE, 400)
  const mark = ['records', 'mark', '--station', '1001', '--quality', 'bad', '--yes']
  const window = ['--from', new Date(now - 1.5 * MINUTE).toISOString(), '--to', '2099-01-01']

  const before = await countAlarms(service, token)
  const marked = await place.run([...mark, ...window])
  const meanwhile = await countAlarms(service, token)
  const undone = await place.run(['undo', '1'])

  assert.match(marked.stdout, /^Alarm 1 .* ends with the values that raised it\.$/m, marked.stderr)
  assert.match(undone.stdout, /^Alarm 1 .* was opened again\.$/m, undone.stderr)
  assert.deepEqual([before, meanwhile, await countAlarms(service, token)], [1, 0, 1])
  await send(service, key, now, 1)
  assert.equal(await countAlarms(service, token), 0)
})

test('undo of a reading removes its record and ends its alarm', async () => {
  await using place = await workplace()
  await fill(place, async () => undefined)
  const credentials = await place.json('app', 'create', '--user', '1', '--scope', 'operate')
  const service = await place.serve(['--port', '0'])
  const { token } = (await service.issueToken(credentials)).json()
  const records = [{ time: Date.now() - MINUTE, values: { strain: 400 } }]
  const response = await service.call('/manage/v1/stations/1001/readings', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ author: 'Li Wei', records }),
  })
  const { change } = response.json()
  const before = await countAlarms(service, token)

  const [listed] = await place.json('changes')
  const undone = await place.run(['undo', String(change)])

  assert.equal(undone.code, 0, undone.stderr)
  assert.match(
    undone.stdout,
    /^Alarm 1 of station 1001 .* ended: the values that raised it are there no more\.$/m,
  )
  assert.equal(listed.kind, 'reading')
  assert.match(listed.description, /^station 1001: reading of .* by "Li Wei"$/)
  assert.deepEqual([before, await countAlarms(service, token)], [1, 0])
})

async function send(service: Served, key: string, time: number, strain: number): Promise<void> {
  const response = await service.call('/ingest/v1/theme', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records: [{ station: 1001, time, values: { strain } }] }),
  })
  assert.equal(response.json().accepted, 1, response.text)
}

async function countAlarms(service: Served, token: string): Promise<number> {
  const path = `/api/v1/users/1/alarms/new/count?token=${token}`
  return (await service.call(path)).json().count
}
