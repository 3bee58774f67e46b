import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectAsync } from 'mqtt'
import { startChild, type Child } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { callHttps, freePort } from '../_service.ts'
import { workplace } from '../cli/_cli.ts'
import { pretendDisk } from './_disk-state.ts'
import { KEY, makeDataFolder, SENSOR, TOKEN } from './_site.ts'

const MEGABYTE = 2 ** 20
const PLENTY = { freeBytes: 10_000 * MEGABYTE }
const LOW = { freeBytes: 1_000 * MEGABYTE }
const NEARLY_FULL = { freeBytes: 100 * MEGABYTE }

const FOLDER = `format: csv
offset: '+00:00'
time: { column: Time, format: YYYY-MM-DD HH:mm:ss }
columns: [{ column: V, station: 2, item: v }]
`

const write = (child: Child, minute: number) =>
  callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      records: [{ station: 1, time: `2026-01-01 00:0${minute}:00`, values: { v: 1 } }],
    }),
  })

async function countRecords(child: Child): Promise<number[]> {
  const response = await callHttps(
    `${child.origin}/api/v1/stations/theme/data?stations=1,2,8&startTime=2026-01-01%2000:00:00&endTime=2026-01-02%2000:00:00&token=${TOKEN}`,
    child.certificate,
    {},
  )
  const { stations } = response.json<{ stations: { data: unknown[] }[] }>()
  return stations.map(({ data }) => data.length)
}

test('before the disk is full the service warns, then takes nothing in and serves readers, and goes on by itself', async (t) => {
  await using data = await makeDataFolder()
  const { environment, pretend } = await pretendDisk(data.folder, t, PLENTY)
  const broker = await freePort()
  const incoming = join(data.folder, 'incoming')
  await mkdir(incoming)
  await writeFile(join(data.folder, 'mapping.yaml'), FOLDER)
  await using child = await startChild(data.folder, {
    ...environment,
    PLUMBLINE_INGEST_FOLDERS: JSON.stringify([
      { path: 'incoming', mapping: 'mapping.yaml', pollSeconds: 0.1 },
    ]),
    PLUMBLINE_INGEST_FILE_IDLE_SECONDS: '0',
    PLUMBLINE_INGEST_BROKER_PORT: String(broker),
    PLUMBLINE_INGEST_BROKER_HOST: '127.0.0.1',
    PLUMBLINE_INGEST_BROKER_TLS: 'off',
    PLUMBLINE_INGEST_BROKER_TOPICS: JSON.stringify([
      { topic: 'site/{sensor}/up', preset: 'tsValues' },
    ]),
  })
  const readDisk = async () => JSON.parse((await child.getOps('/health/disk')).text)
  const readMetrics = async () => {
    const { text } = await child.getOps('/metrics')
    return ['free_bytes', 'low'].map((name) =>
      Number(new RegExp(`^plumbline_disk_${name} (\\S+)$`, 'm').exec(text)?.[1]),
    )
  }
  const client = await connectAsync(`mqtt://127.0.0.1:${broker}`, {
    username: 'logger',
    password: KEY,
  })
  t.after(() => client.endAsync(true))

  await pretend(LOW)
  await eventually(async () => assert.equal((await readDisk()).state, 'low'))
  const warned = [await readMetrics(), (await write(child, 1)).status]
  await eventually(() => assert.match(child.logged, /1,000 MB free/))
  await pretend(NEARLY_FULL)
  await eventually(async () => assert.equal((await readDisk()).state, 'stopped'))
  const refused = await write(child, 2)
  await writeFile(join(incoming, 'a.csv'), 'Time,V\n2026-01-01 00:00:00,7\n')
  let isAcknowledged = false
  const sent = client
    .publishAsync(`site/${SENSOR}/up`, '{"ts":1767225600000,"values":{"v":7}}', { qos: 1 })
    .then(() => (isAcknowledged = true))
  const ready = await child.getOps('/health/ready')
  // Meanwhile the watched folder is looked at several times.
  await eventually(() => assert.match(child.logged, / 100 MB free: nothing is stored/))
  const whileStopped = [await countRecords(child), isAcknowledged]
  await pretend(PLENTY)
  await eventually(async () => assert.equal((await write(child, 2)).status, 200))
  await sent
  await eventually(async () => assert.deepEqual(await countRecords(child), [2, 1, 1]))
  await eventually(() => assert.match(child.logged, /Records are taken again/))

  assert.deepEqual(warned, [[LOW.freeBytes, 1], 200])
  assert.match(
    child.logged,
    /"level":40,[^\n]* has 1,000 MB free\. Nothing is stored any more below 200 MB/,
  )
  assert.deepEqual(
    [refused.status, refused.headers['retry-after'], refused.json()],
    [
      503,
      '60',
      {
        name: 'Unavailable',
        message:
          'Nothing is stored at the moment: the disk has 100 MB free, and 200 MB stay free (storage.stopFreeMegabytes).',
      },
    ],
  )
  assert.deepEqual([ready.status, JSON.parse(ready.text).message], [503, refused.json().message])
  assert.deepEqual(whileStopped, [[1, 0, 0], false])
  assert.match(
    child.logged,
    /"level":50,[^\n]* has 100 MB free: nothing is stored until it has more/,
  )
  assert.equal((await child.getOps('/health/ready')).status, 200)
})

test('an import stops before the disk is full', async (t) => {
  await using data = await makeDataFolder()
  await using place = await workplace()
  const { environment } = await pretendDisk(data.folder, t, NEARLY_FULL)
  await writeFile(join(place.folder, 'mapping.yaml'), FOLDER)
  await writeFile(join(place.folder, 'a.csv'), 'Time,V\n2026-01-01 00:00:00,7\n')

  const { code, stderr } = await place.runProcess(
    ['import', 'a.csv', '--mapping', 'mapping.yaml', '--data', data.folder],
    environment,
  )

  assert.equal(code, 1)
  assert.match(stderr, /Nothing is stored at the moment: the disk has 100 MB free/)
})
