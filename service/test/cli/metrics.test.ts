import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_service.ts'
import { sampleAlarm } from '../storage/_sample-alarm.ts'
import { HEADER, MAPPING, row } from '../ingest/_watched.ts'
import { fill, workplace } from './_cli.ts'
import { storeAlarms } from '../storage/_stored-alarms.ts'

test('metrics have alarms, records by way in, rejects, folders, database and sealing; health has folders', async () => {
  await using place = await workplace()
  const data = join(place.folder, 'data')
  await fill(place, (storage) =>
    storeAlarms(storage, [
      { ...sampleAlarm(1, { state: 0, level: 1 }), details: [] },
      { ...sampleAlarm(2, { state: 2, level: 2 }), details: [] },
      { ...sampleAlarm(3, { state: 1, level: 2 }), details: [] },
      { ...sampleAlarm(4, { state: 3, level: 1 }), details: [] },
    ]),
  )
  await mkdir(join(data, 'incoming'))
  await writeFile(join(data, 'strain.mapping.yaml'), `delimiter: ;\n${MAPPING}`)
  await writeFile(join(data, 'incoming', 'a.csv'), `${HEADER}${row(1, 5)}${row(2, 6)}`)
  const folder = { path: 'incoming', mapping: 'strain.mapping.yaml', pollSeconds: 0.1 }
  const { key } = await place.json('key', 'create', '--name', 'logger')
  const ops = await freePort()
  const service = await place.serve(['--port', '0'], {
    PLUMBLINE_OPS_PORT: String(ops),
    PLUMBLINE_INGEST_FOLDERS: JSON.stringify([folder]),
  })
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${ops}${path}`)).text()
  const station = { station: 2001, time: '2026-01-01 00:00:00' }
  const records = [
    { ...station, values: { waterLevel: 1 } },
    { ...station, station: 99, values: {} },
  ]
  await service.call('/ingest/v1/theme', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records }),
  })

  const origin = `file ${join(data, 'incoming')}`
  const metrics = await eventually(async () => {
    const text = await read('/metrics')
    const health = await read('/health/ingest')
    assert.ok(text.includes(`plumbline_ingest_records_total{origin="${origin}"} 2`), health)
    return text
  })
  const health = JSON.parse(await read('/health/ingest'))

  for (const line of [
    'plumbline_alarms_open{level="1"} 1',
    'plumbline_alarms_open{level="2"} 2',
    'plumbline_ingest_rejected_records_total{origin="http theme"} 1',
    `plumbline_folder_files{origin="${origin}"} 1`,
    'plumbline_sealed_records_total 0',
    'plumbline_sealing_damaged_days 0',
  ])
    assert.ok(metrics.includes(`\n${line}\n`), `${line} is missing in\n${metrics}`)
  assert.doesNotMatch(metrics, /^plumbline_sealing_last_run/m)
  assert.match(metrics, /^plumbline_ingest_records_total\{origin="http theme"\} [01]$/m)
  assert.match(metrics, /^plumbline_database_bytes\{file="database"\} [1-9]\d{4,}$/m)
  assert.match(metrics, /^plumbline_database_bytes\{file="log"\} \d+$/m)
  assert.deepEqual(
    health.folders.map((one: { origin: string; files: number }) => [one.origin, one.files]),
    [[origin, 1]],
  )
})

test('metrics count the writes that another instance was in the way of', async () => {
  await using place = await workplace()
  await fill(place, async () => {})
  const { key } = await place.json('key', 'create', '--name', 'logger')
  const ports = [await freePort(), await freePort()]
  const instances: Awaited<ReturnType<typeof place.serve>>[] = []
  for (const port of ports)
    instances.push(await place.serve(['--port', '0'], { PLUMBLINE_OPS_PORT: String(port) }))
  const readCounts = () =>
    Promise.all(
      ports.map(async (port) => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
        const pattern = /^plumbline_write_conflicts_total\{changed="alarms"\} (\d+)$/m
        return Number(pattern.exec(text)?.[1])
      }),
    )
  const send = async (instance: number, station: number, minute: number) => {
    const time = `2026-01-01 00:${String(minute).padStart(2, '0')}:00`
    const { status } = await instances[instance]!.call('/ingest/v1/theme', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ records: [{ station, time, values: { strain: 400 } }] }),
    })
    assert.equal(status, 200)
  }

  for (let minute = 0; minute < 3; minute++) {
    await send(0, 1001, minute)
    await send(1, 1002, minute)
  }
  const ofOwnStations = await readCounts()
  await send(0, 1002, 3)
  await send(1, 1002, 4)
  const ofTheSame = await readCounts()

  assert.deepEqual(ofOwnStations, [0, 0])
  assert.deepEqual(ofTheSame, [0, 1])
})
