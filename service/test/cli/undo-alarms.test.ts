import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { HEADER, MAPPING } from '../ingest/_watched.ts'
import { fill, workplace, type Served } from './_cli.ts'

const HOUR = 3_600_000
const SPAN = ['--from', '2026-01-01', '--to', '2036-12-31']
const STATIONS = [1001, 1002, 1003]

/** A service with the records of the last hours, and whom to ask. */
async function served() {
  const place = await workplace()
  await fill(place, async () => undefined)
  const { key } = await place.json('key', 'create', '--name', 'logger')
  const credentials = await place.json('app', 'create', '--user', '1', '--scope', 'admin')
  const service = await place.serve(['--port', '0'])
  const { token } = (await service.issueToken(credentials)).json()
  const site = { service, key, token }
  return {
    place,
    site,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

type Site = { service: Served; key: string; token: string }

async function send({ service, key }: Site, time: number, value: number, stations = STATIONS) {
  const records = stations.map((station) => {
    const values = station === 1003 ? { temperature: value } : { strain: value }
    return { station, time, values }
  })
  const response = await service.call('/ingest/v1/theme', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records }),
  })
  assert.equal(response.json().accepted, records.length, response.text)
}

/** An instant as the structure of the stations shows it. */
const local = (instant: number): string =>
  new Date(instant + 8 * HOUR).toISOString().slice(0, 19).replace('T', ' ')

async function remove(
  { service, token }: Site,
  station: number,
  startTime = '2026-01-01 00:00:00',
) {
  const response = await service.call('/manage/v1/records/delete', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      station,
      startTime,
      endTime: '2036-12-31 00:00:00',
    }),
  })
  return response.json()
}

async function listAlarms({ service, token }: Site): Promise<string[]> {
  const path = `/api/v1/users/1/alarms?limit=50&token=${token}`
  const { alarms } = (await service.call(path, { method: 'POST' })).json()
  return alarms
    .flatMap((structure: any) => structure.alarms)
    .map(({ id, state, level, source }: any) => `${id} ${source.id} ${state} ${level}`)
    .toSorted()
}

const linesOf = ({ stdout }: { stdout: string }) => stdout.match(/^Alarm .*$/gm)

test('undo of a deletion reopens the alarms that it cleared, beside a running service', async () => {
  await using all = await served()
  const { place, site } = all
  const now = Date.now()
  await send(site, now - 3 * HOUR, 1)
  await send(site, now - 2 * HOUR, 400)
  await send(site, now - HOUR, 400)
  const before = await listAlarms(site)

  const dry = await place.run(['records', 'delete', '--structure', '1', ...SPAN])
  const real = await place.run(['records', 'delete', '--structure', '1', ...SPAN, '--yes'])
  const meanwhile = await listAlarms(site)
  const undone = await place.run(['undo', '1'])
  const after = await listAlarms(site)
  await send(site, now, 1)

  assert.equal(before.length, 3, before.join())
  assert.deepEqual(linesOf(dry), linesOf(real), dry.stdout + dry.stderr)
  assert.match(real.stdout, /^Alarm 1 of station 1001 .* ends with the records that raised it\.$/m)
  assert.equal(meanwhile.filter((alarm) => alarm.endsWith(' 3 1')).length, 3)
  assert.equal(linesOf(undone)?.length, 3, undone.stdout + undone.stderr)
  assert.match(undone.stdout, /^Alarm 1 of station 1001 .* was opened again\.$/m)
  assert.deepEqual(after, before)
  const path = `/api/v1/alarms/1/details?token=${site.token}`
  const details = (await site.service.call(path)).json()
  assert.deepEqual(
    details.map(({ alarmState, content }: any) => [alarmState, content]).slice(2, 4),
    [
      [3, 'The records that raised this alarm were deleted.'],
      [1, 'The records that raised this alarm were restored.'],
    ],
  )
  assert.equal((await listAlarms(site)).filter((alarm) => alarm.endsWith(' 3 1')).length, 3)
})

test('undo opens a new alarm where another one was raised and cleared since', async () => {
  await using all = await served()
  const { place, site } = all
  const now = Date.now()
  await send(site, now - HOUR, 400, [1001])
  const { change, alarms } = await remove(site, 1001)
  await send(site, now - 3 * HOUR, 400, [1001])
  await send(site, now - 2 * HOUR, 1, [1001])

  const undone = await place.run(['undo', String(change)])

  assert.equal(alarms[0].hasEnded, true)
  assert.match(undone.stdout, /^A new alarm of station 1001 /m)
  assert.deepEqual(await listAlarms(site), ['1 1001 3 1', '2 1001 3 1', '3 1001 0 1'])
})

test('undo after POST records/delete reopens the alarm, and a later normal record clears it', async () => {
  await using all = await served()
  const { place, site } = all
  const now = Date.now()
  await send(site, now - 2 * HOUR, 400, [1001, 1002])
  for (const station of [1001, 1002]) await remove(site, station)
  const undo = async (change: string): Promise<string[]> => {
    const { code, stdout, stderr } = await place.run(['undo', change])
    assert.equal(code, 0, stderr)
    return linesOf({ stdout }) ?? []
  }

  // The other alarm waits for its own records.
  assert.equal((await undo('1')).length, 1)
  assert.deepEqual(await listAlarms(site), ['1 1001 0 1', '2 1002 3 1'])
  await send(site, now - HOUR, 1, [1002])
  await undo('2')
  const again = await place.run(['undo', '2'])

  assert.equal(again.code, 1)
  assert.match(again.stderr, /^Change 2 was already undone, on \S+ \S+ UTC\.$/m)

  assert.deepEqual(await listAlarms(site), ['1 1001 0 1', '2 1002 3 1'])
})

test('undo does not count a record twice in an alarm that stayed open', async () => {
  await using all = await served()
  const { place, site } = all
  const now = Date.now()
  await send(site, now - 3 * HOUR, 400, [1001])
  await send(site, now - HOUR, 400, [1001])
  const count = async () => {
    const path = `/api/v1/users/1/alarms?limit=50&token=${site.token}`
    const { alarms } = (await site.service.call(path, { method: 'POST' })).json()
    return alarms.flatMap((structure: any) => structure.alarms).map((alarm: any) => alarm.count)
  }
  const before = await count()
  const { change, alarms } = await remove(site, 1001, local(now - 2 * HOUR))

  const { code, stderr } = await place.run(['undo', String(change)])

  assert.equal(code, 0, stderr)
  assert.equal(alarms[0].hasEnded, false)
  assert.deepEqual(before, [2])
  assert.deepEqual(await count(), [2])
})

test('undo of an import clears the alarms of the records that it added', async () => {
  await using all = await served()
  const { place, site } = all
  const time = Date.now() - 2 * HOUR
  await send(site, time, 1, [1002])
  await writeFile(join(place.folder, 'm.yaml'), `delimiter: ;\n${MAPPING}`)
  await writeFile(join(place.folder, 'a.csv'), `${HEADER}${local(time + HOUR)};400\n`)
  const imported = await place.run(['import', 'a.csv', '--mapping', 'm.yaml'])
  const before = await listAlarms(site)

  const { code, stderr } = await place.run(['undo', '1'])

  assert.equal(code, 0, stderr)
  assert.deepEqual(before, ['1 1002 0 1'], imported.stdout)
  assert.deepEqual(await listAlarms(site), ['1 1002 3 1'])
})
