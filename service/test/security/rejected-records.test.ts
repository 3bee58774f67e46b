import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { HEADER, row, watched } from '../ingest/_watched.ts'

const WRONG = 'x'.repeat(1000)

test('rejects of a broken logger displace its own oldest ones, not those of others, with a log line', async () => {
  await using place = await watched({
    folders: ['incoming', 'broken'],
    settings: {
      'ingest.keepRejectedMegabytesPerSource': 0.1,
      'ingest.keepRejectedMegabytes': 0.15,
    },
  })
  await mkdir(place.path('../broken'))
  await writeFile(place.path('a.csv'), `${HEADER}wrong\n${row(0, 1)}`)
  await place.start()
  await place.until(() => place.strains(), [1])

  for (const file of ['b', 'c', 'd', 'e']) {
    const lines = Array.from({ length: 100 }, (_, at) => `${file}${at} ${WRONG}\n`).join('')
    await writeFile(place.path(`../broken/${file}.csv`), `${HEADER}${lines}`)
  }
  await place.until(() => place.logged('"rejected":100'), 4)

  const { rejects } = place.service.storage
  const kept = await rejects.list({ limit: 1000 })
  const origins = kept.map(({ origin }) => origin)
  assert.equal(origins.filter((origin) => origin === `file ${place.path('a.csv')}`).length, 1)
  const bytes = kept.reduce((sum, { payload }) => sum + payload.length, 0)
  assert.ok(bytes <= 110_000 && bytes > 50_000, `${bytes} bytes are kept`)
  assert.equal(kept[0]!.place, 'line 101')
  const dropped = (await rejects.count()).reduce((sum, one) => sum + one.dropped, 0)
  assert.equal(dropped + kept.length, 401)
  const line = place.service.logged.find((one) => one.includes('were dropped for newer ones'))
  const { level, source } = JSON.parse(line!)
  assert.deepEqual([level, source], [40, `file ${join(place.path('..'), 'broken')}`])
})
