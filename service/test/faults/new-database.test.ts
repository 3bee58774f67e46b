import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { workplace, type Workplace } from '../cli/_cli.ts'

/** The lines of the log of a start about a new database, by level. */
async function start(place: Workplace): Promise<[level: number, msg: string][]> {
  const served = await place.serve(['--port', '0', '--data', 'data'])
  await served.stop()
  return served.output.stderr
    .split('\n')
    .filter((line) => line.includes('A new database'))
    .map((line) => JSON.parse(line))
    .map(({ level, msg }) => [level, msg])
}

async function empty(place: Workplace): Promise<void> {
  for (const end of ['-wal', '-shm'])
    await rm(join(place.folder, 'data', `plumbline.db${end}`), { force: true })
}

test('the log names a new database, and no existing one', async () => {
  await using place = await workplace()

  assert.deepEqual(await start(place), [[30, 'A new database was created in data.']])
  assert.deepEqual(await start(place), [])
})

test('a folder that has lost its database is logged as a warning', async () => {
  await using place = await workplace()
  await start(place)
  await empty(place)
  await rm(join(place.folder, 'data', 'plumbline.db'))

  const [[level, sentence] = [], ...more] = await start(place)

  assert.deepEqual([level, more], [40, []])
  assert.match(
    sentence!,
    /^A new database was created in data\. The folder had no plumbline\.db, but has/,
  )
  assert.match(sentence!, /tls\/ and secrets\/ .* a disk that is not mounted/)
})

test('a database of 0 bytes beside files of a service is logged as a warning', async () => {
  await using place = await workplace()
  await start(place)
  await empty(place)
  await truncate(join(place.folder, 'data', 'plumbline.db'), 0)

  const [[level, sentence] = []] = await start(place)

  assert.equal(level, 40)
  assert.match(sentence!, /had a plumbline\.db of 0 bytes/)
})
