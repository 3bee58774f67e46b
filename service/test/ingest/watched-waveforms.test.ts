import assert from 'node:assert/strict'
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { RefusedError } from '../../src/errors/refused-error.ts'
import { FolderWatch } from '../../src/ingest/files/folder-watch.ts'
import { IngestClock } from '../../src/ingest/records/ingest-clock.ts'
import { withService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { watchedWithHealth } from './_health.ts'
import type { Watched } from './_watched.ts'

const MAPPING = `format: waveform
channels:
  - { channel: 'Chan 1: 360 Deg', station: 1031 }
  - { channel: 'Chan 9: Up', station: 1031 }
`
const SETTINGS = { 'ingest.earliestTime': '2000-01-01T00:00:00Z', 'http.maxBodyMegabytes': 1 }
const FILE = new URL('../data/vibration-formats/CE89146.V1.gz', import.meta.url)

const whole = async (): Promise<Buffer> => gunzipSync(await readFile(FILE))

const watchWaveforms = (fileIdleSeconds = 0.3) =>
  watchedWithHealth({ mapping: MAPPING, settings: SETTINGS, fileIdleSeconds })

async function countWaveforms({ service }: Watched): Promise<number> {
  const list = { station: 1031, from: 0, to: 4e12, limit: 100 }
  return (await service.storage.waveforms.list(list)).length
}

const countReads = (place: Watched): number => place.logged('a watched file of waveforms was read')

test('a watched file of waveforms is stored once, over restarts and renames', async () => {
  const { place: opened, folder } = await watchWaveforms()
  await using place = opened
  const bytes = await whole()
  await writeFile(place.path('a.csv'), bytes)
  await place.start()
  await place.until(() => countWaveforms(place), 1)
  await place.until(() => countReads(place), 1)
  const line = place.service.logged.find((one) => one.includes('file of waveforms was read'))

  await place.restart()
  await rename(place.path('a.csv'), place.path('b.csv'))
  await place.until(async () => (await folder()).state, 'caught up')
  await place.waitUntilRead()

  const { waveforms, replaced, leftOut, absent } = JSON.parse(line!)
  assert.deepEqual(
    { waveforms, replaced, leftOut, absent },
    {
      waveforms: 1,
      replaced: 0,
      leftOut: ['Chan 2: Up', 'Chan 3: 90 Deg'],
      absent: ['Chan 9: Up'],
    },
  )
  assert.equal(countReads(place), 0)
  assert.equal(await countWaveforms(place), 1)
})

test('a file that is still written is not read', async () => {
  const { place: opened, folder } = await watchWaveforms(3)
  await using place = opened
  const bytes = await whole()
  await writeFile(place.path('a.csv'), bytes.subarray(0, 1000))
  await place.start()
  await place.until(async () => (await folder()).files, 1)

  await place.waitUntilRead()
  await appendFile(place.path('a.csv'), bytes.subarray(1000))

  await place.until(() => countWaveforms(place), 1)
  assert.deepEqual(await place.service.storage.rejects.list({ limit: 9 }), [])
})

test('a file that is refused is named once, and stored when it is whole', async () => {
  const { place: opened, folder } = await watchWaveforms()
  await using place = opened
  const bytes = await whole()
  await writeFile(place.path('a.csv'), bytes.subarray(0, -500))
  await place.start()
  await place.until(() => place.logged('a.csv is not read for now: line '), 1)
  await place.waitUntilRead()
  const rejects = await place.service.storage.rejects.list({ limit: 9 })
  const health = await folder()

  await appendFile(place.path('a.csv'), bytes.subarray(-500))
  await place.until(() => countWaveforms(place), 1)

  assert.deepEqual(
    rejects.map(({ place: where }) => where),
    ['the whole file'],
  )
  assert.equal(health.filesRejected, 1)
  assert.match(
    health.rejected[0].problem,
    /^line 5030: the file ends after 13152 of 13200 announced numbers$/,
  )
  await place.until(async () => (await folder()).filesRejected, 0)
})

test('a file without a channel of the mapping, and one that is too large, are refused', async () => {
  const { place: opened, folder } = await watchWaveforms()
  await using place = opened
  const bytes = await whole()
  const other = bytes.toString('latin1').replaceAll('Chan  1: 360 Deg', 'Chan  4: 360 Deg')
  await writeFile(place.path('none.csv'), other, 'latin1')
  await writeFile(place.path('large.csv'), Buffer.alloc(2 ** 20 + 1, 'x'))
  await place.start()

  await place.until(async () => (await folder()).filesRejected, 2)

  const { rejected } = await folder()
  assert.deepEqual(
    rejected.map(({ file, problem }: { file: string; problem: string }) => `${file}: ${problem}`),
    [
      'large.csv: it has more than 1 MB (http.maxBodyMegabytes), and files of waveforms are read whole',
      'none.csv: it has no channel of the mapping, but "Chan 4: 360 Deg", "Chan 2: Up", "Chan 3: 90 Deg"',
    ],
  )
  await rm(place.path('large.csv'))
  await place.until(async () => (await folder()).filesRejected, 1)
  assert.equal(await countWaveforms(place), 0)
})

test('a refused file is not read again until it or the site changes', async () => {
  await using home = await withService({ site: SITE })
  await mkdir(join(home.folder, 'incoming'))
  const [mapping, path] = [join(home.folder, 'w.yaml'), join(home.folder, 'incoming')]
  await writeFile(mapping, MAPPING)
  await writeFile(join(path, 'a.V1'), 'x')
  let [now, version, reads] = [Date.UTC(2026, 0, 1), 1, 0]
  const refuse = () => {
    reads++
    return Promise.reject(new RefusedError('invalid', 'no'))
  }
  const watch = new FolderWatch({
    folder: { path, pattern: '*', mapping },
    ingest: {
      clock: new IngestClock({ now: () => now }),
      catalogue: () => Promise.resolve({ version }),
      waveforms: refuse,
    } as never,
    storage: home.storage,
    rejects: { add: () => Promise.resolve() },
    log: { info: () => undefined, warn: () => undefined },
    fileIdleMilliseconds: 1000,
    mostReservedBytes: 1,
    mostFileBytes: 100,
  })
  const check = async (): Promise<number> => {
    now += 1000
    await watch.check(new AbortController().signal)
    return reads
  }

  const counts = [await check(), await check(), await check()]
  version++
  counts.push(await check(), await check())
  await appendFile(join(path, 'a.V1'), 'y')
  counts.push(await check(), await check(), await check())

  assert.deepEqual(counts, [0, 1, 1, 2, 2, 2, 3, 3])
})
