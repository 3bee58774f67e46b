import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addAccount } from '../_accounts.ts'
import { startChild } from '../_child.ts'
import { eventually } from '../_eventually.ts'
import { startServer } from '../_postgres.ts'
import { makeDataFolder } from '../faults/_site.ts'

const OUTAGE_MILLISECONDS = 12_000

test('an outage of the database is logged when it begins and when it ends, by each job once', async () => {
  await using server = await startServer()
  // With an account, a start stores no link that the outage could interrupt.
  await using data = await makeDataFolder(
    async (storage) => {
      await addAccount(storage, { name: 'ada', role: 'administrator', userId: null })
    },
    '',
    server.url,
  )
  await using child = await startChild(data.folder, {
    PLUMBLINE_STORAGE: server.url,
    PLUMBLINE_LOG_LEVEL: 'info',
  })
  const before = child.logged.length

  await server.stop()
  await sleep(OUTAGE_MILLISECONDS)
  await server.start()
  await eventually(() => assert.match(child.logged, /can be read and written again/))
  await sleep(3_000)

  const lines = child.logged.slice(before).trimEnd().split('\n')
  const sentences = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  const jobs = sentences.flatMap((text) => /^(.*?) failed: /.exec(text)?.[1] ?? [])
  assert.deepEqual(jobs, [...new Set(jobs)], sentences.join('\n'))
  assert.ok(jobs.includes('Notification delivery'), sentences.join('\n'))
  for (const job of jobs)
    assert.ok(sentences.includes(`${job} succeeded again.`), sentences.join('\n'))
  const others = sentences.filter((text) => !/ failed: | succeeded again\.$/.test(text))
  assert.ok(others.length <= 4, sentences.join('\n'))
})
