import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers, runs } from '../_random.ts'
import { workplace } from '../cli/_cli.ts'
import { callHttps } from '../_service.ts'
import type { Child } from '../_child.ts'
import { KEY } from '../faults/_site.ts'
import { copyingProcess, makeCopiedFolder, untilCopied, type CopiedFolder } from './_copied.ts'

const LOSSES = runs(20, 2)

/** The default where there is time for it. */
const SECONDS = LOSSES > 2 ? 10 : 2
const STATIONS = 7

/** The promise, in seconds. */
const BOUND = 60

/** How long a service runs before, at most. */
const LONGEST_MILLISECONDS = LOSSES > 2 ? 25_000 : 2_000

/** Services that run at the same time. */
const AT_ONCE = Math.min(4, LOSSES)

type Lost = { acknowledged: Acknowledged[]; lostAt: number }

type Acknowledged = { station: number; second: number; at: number }

const START = Date.UTC(2026, 0, 1)

/** Sends records one after the other for each station, until the service is gone. */
async function send(child: Child, signal: AbortSignal): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  const agent = new Agent({ keepAlive: true })
  const sendAll = async (station: number): Promise<void> => {
    for (let second = 0; !signal.aborted; second++) {
      const response = await callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          records: [{ station, time: START + second * 1000, values: { v: second } }],
        }),
      }).catch(() => undefined)
      if (response?.status !== 200) return
      acknowledged.push({ station, second, at: Date.now() })
    }
  }
  await Promise.all(Array.from({ length: STATIONS }, (_, at) => sendAll(at + 1)))
  agent.destroy()
  return acknowledged
}

/** The station and value of each record that a copy has, restored and exported. */
async function restoreSeconds(copy: string): Promise<Set<string>> {
  await using place = await workplace()
  const folder = ['--data', join(place.folder, 'restored')]
  const restoring = await place.run(['restore', copy, ...folder])
  assert.equal(restoring.code, 0, restoring.stderr)
  const window = ['--structure', '1', '--from', '2026-01-01', '--to', '2026-01-31', '--utc']
  const format = ['--format', 'csv', '--output', '-']
  const { stdout } = await place.run(['export', ...window, ...format, ...folder])
  const rows = stdout.trim().split('\n').slice(1)
  return new Set(rows.map((row) => row.split(',')).map((cells) => `${cells[0]} ${cells.at(-1)}`))
}

/** Writes to a service for some time, kills it and destroys its data folder. */
async function lose(data: CopiedFolder, serving: Child, milliseconds: number): Promise<Lost> {
  await using child = serving
  await untilCopied(child)
  const stop = new AbortController()
  const sending = send(child, stop.signal)
  await sleep(milliseconds)
  process.kill(copyingProcess(child), 'SIGKILL')
  await child.kill()
  const lostAt = Date.now()
  stop.abort()
  const acknowledged = await sending
  await rm(data.folder, { recursive: true, force: true })
  return { acknowledged, lostAt }
}

test(`a data folder vanishes ${LOSSES} times under load: what is lost is at most ${BOUND} s old`, async (t) => {
  const random = randomNumbers()
  const ages: number[] = []
  let total = 0

  for (let round = 0; round < LOSSES; round += AT_ONCE) {
    await using stack = new AsyncDisposableStack()
    const folders: CopiedFolder[] = []
    const losing: Promise<Lost>[] = []
    for (let at = 0; at < AT_ONCE; at++) {
      const data = stack.use(await makeCopiedFolder())
      const child = await data.serve({
        PLUMBLINE_BACKUP_CONTINUOUS_SECONDS: String(SECONDS),
        PLUMBLINE_LOG_LEVEL: 'warn',
      })
      folders.push(data)
      losing.push(lose(data, child, 1_000 + random() * LONGEST_MILLISECONDS))
    }
    const losses = await Promise.all(losing)

    for (const [at, { acknowledged, lostAt }] of losses.entries()) {
      const found = await restoreSeconds(folders[at]!.copy)
      const lost = acknowledged.filter(({ station, second }) => !found.has(`${station} ${second}`))
      const oldest = Math.min(lostAt, ...lost.map((one) => one.at))
      ages.push((lostAt - oldest) / 1000)
      total += acknowledged.length
      // What is there is a prefix: nothing after a record that is missing.
      for (const { station, second } of lost)
        assert.ok(!found.has(`${station} ${second + 1}`), `station ${station}, second ${second}`)
    }
  }

  const sorted = ages.toSorted((a, b) => a - b)
  t.diagnostic(
    `${total} records; the oldest that was lost, in seconds: ${sorted.map((age) => age.toFixed(1)).join(' ')}`,
  )
  assert.ok(sorted.at(-1)! <= BOUND)
  assert.ok(total > 0)
})
