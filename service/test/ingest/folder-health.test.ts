import assert from 'node:assert/strict'
import { appendFile, rename, symlink, writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { freePort } from '../_service.ts'
import { watchedWithHealth } from './_health.ts'
import { HEADER, row, type Watched } from './_watched.ts'

const origin = (place: Watched): string => `file ${place.path('')}`.replace(/\/$/, '')

describe('the health of a watched folder', () => {
  test('reports its files, rejects, lag and last record', async () => {
    const { place, getText, folder } = await watchedWithHealth()
    await using _ = place
    await writeFile(place.path('a.csv'), `${HEADER}${row(0, 1)}wrong\n${row(1, 2)}2024-03`)
    await symlink('a.csv', place.path('link.csv'))
    await place.start()
    await place.until(() => place.strains(), [1, 2])
    await place.until(async () => (await folder()).bytesBehind, 7)

    const { lastStoredAt, ...rest } = await folder()

    assert.ok(Math.abs(Date.now() - lastStoredAt) < 600_000)
    assert.deepEqual(rest, {
      origin: origin(place),
      pattern: '*.csv*',
      state: 'reading',
      files: 2,
      filesRejected: 1,
      rejected: [
        { file: 'link.csv', problem: 'it is a symbolic link, and only regular files are read' },
      ],
      bytesBehind: 7,
      lastRecordTime: Date.UTC(2024, 1, 29, 16, 1),
      counts: { records: 2, replaced: 0, rejected: 1 },
    })
    const metrics = await getText('/metrics')
    for (const [name, value] of [
      ['folder_readable', 1],
      ['folder_files', 2],
      ['folder_files_rejected', 1],
      ['folder_bytes_behind', 7],
      ['folder_last_record_timestamp_seconds', Date.UTC(2024, 1, 29, 16, 1) / 1000],
      ['ingest_rejected_records_total', 1],
    ] as const) {
      const line = `plumbline_${name}{origin="${origin(place)}"} ${value}`
      assert.ok(metrics.includes(line), `${line} is missing in\n${metrics}`)
    }
    await appendFile(place.path('a.csv'), row(2, 3).slice(7))
    await place.until(async () => (await folder()).state, 'caught up')
    assert.equal((await folder()).bytesBehind, 0)
  })

  test('reports why the folder cannot be read, until it can', async () => {
    const { place, getText, folder } = await watchedWithHealth()
    await using _ = place
    await place.start()
    await place.until(async () => (await folder()).state, 'caught up')

    await rename(place.path(''), place.path('../away'))
    await place.until(async () => (await folder()).state, 'unreadable')
    assert.match((await folder()).problem, /no such file or directory/)
    assert.match(await getText('/metrics'), /^plumbline_folder_readable\{.*\} 0$/m)
    await rename(place.path('../away'), place.path(''))

    await place.until(async () => (await folder()).state, 'caught up')
    assert.equal((await folder()).problem, undefined)
  })

  test('covers the whole folder while many small files are read', async () => {
    const { place, folder } = await watchedWithHealth()
    await using _ = place
    const names = Array.from({ length: 300 }, (_, index) => place.path(`${index}.csv`))
    await Promise.all(
      names.map((name, index) => writeFile(name, `${HEADER}${row(index % 60, index)}`)),
    )
    await place.start()

    let seen = await folder()
    for (; seen.counts.records < 300; seen = await folder()) {
      assert.notEqual(seen.state, 'caught up')
      const isListed = seen.files === 300
      if (isListed && seen.counts.records < 299) assert.ok(seen.bytesBehind > 28)
    }

    await place.until(async () => (await folder()).state, 'caught up')
    assert.equal((await folder()).bytesBehind, 0)
  })

  test('of an instance that is not the leader is "waiting"', async () => {
    const { place, folder } = await watchedWithHealth()
    await using _ = place
    await place.start()
    await place.until(async () => (await folder()).state, 'caught up')
    await using other = await withHealthOf(place)

    await place.until(async () => (await other.folder()).state, 'waiting')
  })
})

/** A second instance beside the one that reads, with a port of its own. */
async function withHealthOf(place: Watched) {
  const port = await freePort()
  const service = await place.startAnother({ 'ops.port': port })
  return {
    async folder() {
      const response = await fetch(`http://127.0.0.1:${port}/health/ingest`)
      const { folders } = (await response.json()) as { folders: any[] }
      return folders[0]
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
