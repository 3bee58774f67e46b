import assert from 'node:assert/strict'
import { appendFile, open, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FolderWatch } from '../../src/ingest/files/folder-watch.ts'
import { NOW, TestPlace } from './_place.ts'
import { watchedWithHealth } from './_health.ts'
import { HEADER, MAPPING, row, type Watched } from './_watched.ts'
import { RecordIngest } from '../../src/ingest/record-ingest.ts'
import { IngestClock } from '../../src/ingest/records/ingest-clock.ts'

const GIGABYTE = 2 ** 30
const SENTENCE =
  'it holds more than 1 MB of NUL bytes in a row (ingest.maxReservedMegabytes); only what stands before them is read'

const withLimit = (maxReservedMegabytes: number, fileIdleSeconds = 0.1) =>
  watchedWithHealth({
    fileIdleSeconds,
    settings: { 'ingest.maxReservedMegabytes': maxReservedMegabytes },
  })

/** Makes a file longer without taking space for it. */
async function extend(place: Watched, name: string, text: string): Promise<void> {
  await writeFile(place.path(name), text)
  await truncate(place.path(name), 200 * GIGABYTE)
}

async function writeAt(path: string, at: number, text: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(text, at)
  await file.close()
}

const rejects = async (place: Watched) =>
  (await place.service.storage.rejects.list({ limit: 9 })).map(({ origin, place: at, reason }) => [
    origin.split('/').at(-1),
    at,
    reason,
  ])

describe('a file with more reserved space than is read', () => {
  test('is refused, rows before the space are stored, and the other files are read', async () => {
    const { place, folder } = await withLimit(1)
    await using _ = place
    await extend(place, 'a.csv', '')
    await extend(place, 'b.csv', HEADER)
    await extend(place, 'c.csv', `${HEADER}${row(0, 1)}${row(1, 2)}`)
    await extend(place, 'd.csv', `${HEADER}${row(2, 3)}${row(3, 4).trimEnd()}`)
    await writeFile(place.path('e.csv'), `${HEADER}${row(4, 5)}`)
    await place.start()

    await place.until(() => place.strains(), [1, 2, 3, 4, 5])
    await appendFile(place.path('e.csv'), row(5, 6))
    await place.until(() => place.strains(), [1, 2, 3, 4, 5, 6])

    await place.until(async () => (await folder()).state, 'caught up')
    const { files, filesRejected, rejected, bytesBehind } = await folder()
    assert.deepEqual(
      { files, filesRejected, rejected, bytesBehind },
      {
        files: 5,
        filesRejected: 4,
        rejected: ['a', 'b', 'c', 'd'].map((name) => ({ file: `${name}.csv`, problem: SENTENCE })),
        bytesBehind: 0,
      },
    )
    assert.equal(place.logged('csv is not read for now: it holds more than 1 MB'), 4)
    assert.deepEqual((await rejects(place)).toReversed(), [
      ['a.csv', 'line 1', SENTENCE],
      ['b.csv', 'line 2', SENTENCE],
      ['c.csv', 'line 4', SENTENCE],
      ['d.csv', 'line 3', SENTENCE],
    ])
  })

  test('is read on as rows are written into the space, across restarts, and refused once', async () => {
    const { place, folder } = await withLimit(1)
    await using _ = place
    let text = `${HEADER}${row(0, 1)}`
    await extend(place, 'a.csv', text)
    await place.start()
    await place.until(() => place.strains(), [1])
    await place.until(async () => (await folder()).filesRejected, 1)

    for (const [minute, strain] of [
      [1, 2],
      [2, 3],
    ] as const) {
      await writeAt(place.path('a.csv'), text.length, row(minute, strain))
      text += row(minute, strain)
      await place.until(async () => (await place.strains()).length, minute + 1)
      await place.until(async () => (await folder()).filesRejected, 1)
    }
    assert.equal(place.logged('is not read for now'), 1)
    assert.equal((await rejects(place)).length, 1)
    await place.restart()
    await writeAt(place.path('a.csv'), text.length, row(3, 4))

    await place.until(() => place.strains(), [1, 2, 3, 4])
    assert.equal(place.logged('"replaced":1'), 0)
  })

  test('is read whole once it holds less reserved space', async () => {
    const { place, folder } = await withLimit(1)
    await using _ = place
    await extend(place, 'a.csv', `${HEADER}${row(0, 1)}`)
    await place.start()
    await place.until(async () => (await folder()).filesRejected, 1)

    await truncate(place.path('a.csv'), 500_000)
    await appendFile(place.path('a.csv'), row(1, 2))

    await place.until(() => place.strains(), [1, 2])
    await place.until(async () => (await folder()).filesRejected, 0)
    assert.equal(place.logged('a.csv can be read again'), 1)
  })

  test('is not checked again until it changes, and once when its last line is complete', async () => {
    await using home = await TestPlace.open()
    const path = join(home.folder, 'a.csv')
    const write = async (at: number, text: string, changed: number) => {
      await writeAt(path, at, text)
      await utimes(path, changed, changed)
    }
    await writeFile(join(home.folder, 'm.yaml'), `delimiter: ;\n${MAPPING.replace('1002', '1')}`)
    await writeFile(path, `${HEADER}${row(0, 1)}`)
    await truncate(path, 200 * GIGABYTE)
    await write(0, '', 1000)
    let now = NOW
    const refused: string[] = []
    const quiet = { info: () => undefined, warn: () => undefined }
    const watch = new FolderWatch({
      folder: { path: home.folder, pattern: '*.csv', mapping: join(home.folder, 'm.yaml') },
      ingest: RecordIngest.open({
        storage: home.storage,
        clock: new IngestClock({ now: () => now }),
      }),
      storage: home.storage,
      rejects: {
        add: async (rejects) => void refused.push(...rejects.map(({ reason }) => reason)),
      },
      log: quiet,
      fileIdleMilliseconds: 60_000,
      mostReservedBytes: 2 ** 20,
      mostFileBytes: 2 ** 20,
    })
    const look = async (later: number) => {
      now += later
      await watch.check(new AbortController().signal)
      return (await home.read('theme', 1)).length
    }
    const end = `${HEADER}${row(0, 1)}`.length
    const line = row(1, 2).length

    assert.deepEqual([await look(0), await look(2000)], [1, 1])
    await write(end, row(1, 2), 1000)
    assert.deepEqual([await look(2000), await look(55_999)], [1, 1])
    assert.equal(await look(1), 2)
    await write(end + line, row(2, 3), 1000)
    assert.deepEqual([await look(10_000), await look(100_000)], [2, 2])
    await write(end + 2 * line, row(3, 4), 1001)
    assert.equal(await look(10), 4)
    assert.equal(watch.progress.state().filesRejected, 1)
    assert.deepEqual(refused, [SENTENCE])
  })

  for (const [words, text] of [
    ['before its first row', ''],
    ['behind a row', `${HEADER}${row(0, 1)}`],
  ] as const)
    test(`a stop does not wait until space ${words} is read`, async () => {
      const { place, folder } = await withLimit(1e6, 3600)
      await using _ = place
      await extend(place, 'a.csv', text)
      await place.start()
      await place.until(async () => (await folder()).bytesBehind, 200 * GIGABYTE)

      await place.service[Symbol.asyncDispose]()

      assert.equal(place.logged('is not read for now'), 0)
    })
})
