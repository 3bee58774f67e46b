import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterCalls } from '../_after-calls.ts'
import { confirmedAt } from '../../src/domain/time/trusted-clock.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { withService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { readRecords, rowsOf } from '../storage/_place.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 1)

/** A service over a folder in which something was imported 91 days ago, and 89. */
async function withChanges(stack: AsyncDisposableStack, keepDays: number, now = NOW) {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-changes-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await using storage = await openSqlite(folder)
  await storage.clock.write(confirmedAt(NOW), 0)
  for (const days of [91, 89]) {
    const startedAt = NOW - days * DAY
    const kind = { kind: 'import', description: 'a.csv', startedAt } as const
    const change = await storage.changes.begin(kind)
    // Forgotten in several steps.
    const times = Array.from({ length: 6_000 }, (_, at) => startedAt + at * 1000)
    await storage.records.write({ theme: rowsOf(1001, times) }, { change })
  }
  return stack.use(
    await withService({
      site: SITE,
      folder,
      settings: { 'ingest.keepChangesDays': keepDays },
      now: () => now,
      expireChangesMilliseconds: 20,
    }),
  )
}

test('changes are deleted when their retention period is over, and their records stay', async () => {
  await using stack = new AsyncDisposableStack()
  const service = await withChanges(stack, 90)
  const { changes } = service.storage

  while ((await changes.list()).length > 1) await sleep(10)

  const [left] = await changes.list()
  assert.deepEqual([left!.startedAt, left!.records], [NOW - 89 * DAY, 6_000])
  assert.equal((await readRecords(service.storage, { source: 1001 })).length, 12_000)
  while (!service.logged.some((line) => line.includes('can no longer be undone'))) await sleep(10)
})

test('with 0 days changes are kept forever', async () => {
  await using stack = new AsyncDisposableStack()
  const service = await withChanges(stack, 0)

  await sleep(200)

  assert.equal((await service.storage.changes.list()).length, 2)
})

test('a clock ten years ahead deletes no change that can be undone', async () => {
  await using stack = new AsyncDisposableStack()
  const service = await withChanges(stack, 90, NOW + 3653 * DAY)
  const { changes } = service.storage

  while ((await changes.list()).length > 1) await sleep(10)
  await afterCalls(changes, 'expire')

  assert.deepEqual(
    (await changes.list()).map(({ startedAt }) => startedAt),
    [NOW - 89 * DAY],
  )
})
