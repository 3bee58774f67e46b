import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startChild } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { connectRaw, splitResponses, readToEnd } from '../faults/_raw.ts'
import { makeDataFolder, TOKEN } from '../faults/_site.ts'
import { gzipOf, head, MEGABYTE, post, WITH_KEY } from './_bodies.ts'

const THEME = '/ingest/v1/theme'
const PACKED = { ...WITH_KEY, 'Content-Encoding': 'gzip' }
const SETTINGS = {
  PLUMBLINE_HTTP_MAX_INFLATION_RATIO: '1032',
  PLUMBLINE_HTTP_BODY_BUDGET_MEGABYTES: '64',
  PLUMBLINE_HTTP_REQUEST_TIMEOUT_SECONDS: '4',
}

test('a hundred bodies of 32 KB that inflate to 32 MB stay within the budget', async (t) => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder, SETTINGS)
  const body = await gzipOf(' ', 32 * MEGABYTE - 1)
  const before = await child.memory()
  let most = before
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, await child.memory())
      await sleep(20)
    }
  })()

  const sent = Promise.all(Array.from({ length: 100 }, () => post(child, THEME, body, PACKED)))
  const reading = `/api/v1/structures?token=${TOKEN}`
  for (let at = 0; at < 10; at++)
    assert.equal((await callHttps(`${child.origin}${reading}`, child.certificate, {})).status, 200)
  const small = await post(child, THEME, '{"records":[]}', WITH_KEY)
  const responses = await sent
  over.abort()
  await watching

  assert.equal(small.status, 200)
  const statuses = new Set(responses.map(({ status }) => status))
  assert.ok(statuses.isSubsetOf(new Set([400, 503])), [...statuses].join())
  for (const { status, head: text } of responses)
    if (status === 503) assert.match(text, /^retry-after: 2$/im)
  const grown = (most - before) / MEGABYTE
  t.diagnostic(`memory grew by ${grown.toFixed(0)} MB`)
  // The budget, the memory that was just released, and that of decompression.
  assert.ok(grown < 400, `memory grew by ${grown} MB`)
})

test('a request releases its part of the budget at any end', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder, SETTINGS)
  // Bodies of 20 MB: three of them have room.
  const large = ' '.repeat(20 * MEGABYTE)
  const whole = gzipSync(large)
  const broken = Buffer.from(gzipSync(randomBytes(2 * MEGABYTE)))
  broken[broken.length - 5]! ^= 1

  for (let round = 0; round < 3; round++) {
    const ends = [
      () => post(child, THEME, large, WITH_KEY),
      () => post(child, THEME, whole, PACKED),
      () => post(child, THEME, broken, PACKED),
      () => post(child, THEME, whole.subarray(0, -1), PACKED),
      () => post(child, THEME, `{"records":[${'['.repeat(MEGABYTE)}`, WITH_KEY),
      () => post(child, '/ingest/v1/influx', `${large}x`, WITH_KEY),
      () => breakOff(child, large.slice(0, 10 * MEGABYTE), 'destroy'),
      () => breakOff(child, large.slice(0, 10 * MEGABYTE), 'wait'),
    ]
    await Promise.all(ends.map((end) => end().catch(() => undefined)))
  }

  const responses = await Promise.all(
    Array.from({ length: 3 }, () => post(child, THEME, large, WITH_KEY)),
  )
  // A machine that is busy elsewhere may let one of them wait too long.
  const statuses = responses.map(({ status }) => status)
  assert.ok(new Set(statuses).isSubsetOf(new Set([400, 408])), statuses.join())
})

async function breakOff(
  server: Parameters<typeof connectRaw>[0],
  begun: string,
  then: 'destroy' | 'wait',
): Promise<void> {
  const socket = await connectRaw(server)
  const response = readToEnd(socket)
  socket.write(head(THEME, { ...WITH_KEY, 'Content-Length': 2 * begun.length }))
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.write(begun, () => resolve())
  })
  if (then === 'destroy') socket.destroy()
  else assert.match((splitResponses(await response)[0]?.status ?? 408).toString(), /408|503/)
  socket.destroy()
}
