import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ContinuousCopyState } from '../../src/backup/continuous/copy-state.ts'
import { eventually } from '../_eventually.ts'
import { HEADER, MAPPING } from '../ingest/_watched.ts'
import { listedMetrics as listed } from './_metrics-page.ts'
import { parseMetrics, withWatched } from './_metrics.ts'

const COPY: ContinuousCopyState = {
  to: '/mnt/copy',
  state: 'follows',
  copiedThrough: Date.now(),
  generations: 1,
  pieces: 2,
  bytes: 3,
}

test('the page about metrics lists exactly those of the service, with their types and labels', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-watched-'))
  await writeFile(join(folder, 'mapping.yaml'), MAPPING)
  await writeFile(join(folder, 'logger.csv'), HEADER)
  await using watched = await withWatched({
    settings: {
      'ingest.folders': [{ path: folder, mapping: join(folder, 'mapping.yaml'), pattern: '*.csv' }],
      'backup.to': join(folder, 'backups'),
      'notifications.webhooks': [{ name: 'duty', url: 'https://localhost:1/', secret: 'secret' }],
    },
    backupMilliseconds: 50,
    continuousCopy: () => COPY,
  })
  const { service, ask } = watched
  const key = await service.createKey()
  await service.ingest('theme', key, { records: [] })
  await service.ingest('theme', 'wrong', { records: [] })
  await eventually(async () => {
    const text = await (await ask('/metrics')).text()
    assert.match(text, /^plumbline_folder_bytes_behind\{/m)
    assert.match(text, /^plumbline_backup_last_written_bytes /m)
  })

  const shown = parseMetrics(await (await ask('/metrics')).text())

  assert.deepEqual(
    listed.map(({ name, type }) => `${name} ${type}`).toSorted(),
    [...shown].map(([name, { type }]) => `${name} ${type}`).toSorted(),
  )
  const wrongLabels = listed.flatMap(({ name, labels }) =>
    (shown.get(name)?.labels ?? [])
      .filter((names) => names.toSorted().join() !== labels.toSorted().join())
      .map((names) => `${name} has the labels ${names.join(', ') || 'none'}`),
  )
  assert.deepEqual(wrongLabels, [])
  const withLines = listed.filter(({ name }) => (shown.get(name)?.labels.length ?? 0) > 0)
  assert.ok(withLines.length > listed.length - 15, `only ${withLines.length} have lines`)
})

test('every metric has a meaning', () => {
  assert.ok(listed.length > 60)
  assert.deepEqual(
    listed.filter(({ meaning }) => meaning === ''),
    [],
  )
})

test('a service whose database file is gone is not ready', async () => {
  await using watched = await withWatched()
  const readyLine = async (): Promise<string> =>
    /^plumbline_ready .*$/m.exec(await (await watched.ask('/metrics')).text())?.[0] ?? ''

  assert.equal(await readyLine(), 'plumbline_ready 1')

  await rm(join(watched.service.folder, 'plumbline.db'))
  await eventually(async () => {
    assert.equal((await watched.ask('/health/ready')).status, 503)
    assert.equal(await readyLine(), 'plumbline_ready 0')
  })
})
