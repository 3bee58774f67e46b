import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { test } from 'node:test'
import { startChild, type Child } from '../_child.ts'
import { CitusCluster } from '../_citus.ts'
import { eventually } from '../_eventually.ts'
import { KEY, makeDataFolder, STATIONS } from '../faults/_site.ts'
import { withClient } from '../postgres/_client.ts'
import { runs } from '../_random.ts'
import { callHttps } from '../_service.ts'
import { newDistributedTables } from './_distributed.ts'

/** The last station is derived from a sensor. */
const WRITTEN = STATIONS - 1
const WRITERS = 4
const START = Date.UTC(2026, 0, 1)
const KILLS = runs(20, 2)

test(`${KILLS} kills of a worker under load: 503 meanwhile, and no batch is lost or half stored`, async (t) => {
  await using cluster = await CitusCluster.start()
  await withClient({ connectionString: cluster.url }, async (client) => {
    // As docs/citus.md advises: a write waits for what a killed worker holds prepared.
    await client.query(`alter system set citus.recover_2pc_interval = '5s'`)
    await client.query('select pg_reload_conf()')
  })
  const url = await newDistributedTables(cluster)
  await using data = await makeDataFolder(undefined, '', url)
  await using child = await startChild(data.folder, { PLUMBLINE_STORAGE: url })
  const statuses = new Map<number, number>()
  const acknowledged = new Set<number>()
  let batch = 0
  const write = async (signal: AbortSignal): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!signal.aborted) {
      const number = ++batch
      const status = await send(child, agent, number)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 200) acknowledged.add(number)
    }
    agent.destroy()
  }

  for (let kill = 0; kill < KILLS; kill++) {
    const stop = new AbortController()
    const writing = Promise.all(Array.from({ length: WRITERS }, () => write(stop.signal)))
    // A failure of these is reported below, after the reason of the others.
    writing.catch(() => undefined)
    await waitForMore(statuses, 200)
    const worker = kill % 2 === 0 ? 1 : 2
    await cluster.killWorker(worker)
    await waitForMore(statuses, 503)
    await cluster.startWorker(worker)
    await waitForMore(statuses, 200)
    stop.abort()
    await writing
    await eventually(async () => assert.equal(await send(child, undefined, ++batch), 200))
    acknowledged.add(batch)
  }

  await eventually(() =>
    withClient({ connectionString: url }, async (client) => {
      await client.query('select recover_prepared_transactions()')
      const { rows } = await client.query<{ batch: number; count: number }>(
        'select ((time - $1::bigint) / 1000)::int as batch, count(*)::int as count from theme_records group by time',
        [START],
      )
      const found = new Map(rows.map((row) => [row.batch, row.count]))
      const half = rows.filter(({ count }) => count !== WRITTEN)
      const lost = [...acknowledged].filter((number) => found.get(number) !== WRITTEN)
      assert.deepEqual({ half, lost }, { half: [], lost: [] })
    }),
  )
  assert.deepEqual([...statuses.keys()].toSorted(), [200, 503])
  t.diagnostic(`${statuses.get(200)} batches stand, ${statuses.get(503)} were refused`)
})

/** Waits for some more responses of a status. */
async function waitForMore(statuses: ReadonlyMap<number, number>, status: number): Promise<void> {
  const before = statuses.get(status) ?? 0
  await eventually(() =>
    assert.ok((statuses.get(status) ?? 0) >= before + 20, JSON.stringify([...statuses])),
  )
}

/** Sends a batch with a record of each station, at an instant that names it. */
async function send(child: Child, agent: Agent | undefined, number: number): Promise<number> {
  const records = Array.from({ length: WRITTEN }, (_, at) => ({
    station: at + 1,
    time: START + number * 1000,
    values: { v: number },
  }))
  const response = await callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ records }),
    ...(agent === undefined ? {} : { agent }),
  })
  if (response.status === 200)
    assert.deepEqual(response.json(), { accepted: WRITTEN, replaced: 0, rejected: [] })
  return response.status
}
