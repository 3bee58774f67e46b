import assert from 'node:assert/strict'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  FRAME_BYTES,
  TOB1_HEADER,
  tob1Record,
  tob3Frame,
  tob3Header,
} from '../../src/ingest/formats/tob/_tob.ts'
import { watched } from '../ingest/_watched.ts'
import { workplace } from './_cli.ts'
import { prepare, recordsOf } from './_import.ts'

const MAPPING = `format: tob1
offset: '+08:00'
columns: [{ column: Strain, station: 1002, item: strain }]
`

test('binary tables of Campbell loggers are imported like TOA5', async () => {
  for (const [format, content] of [
    ['tob1', Buffer.concat([TOB1_HEADER, tob1Record(0, 1.5, 0), tob1Record(20, 2.5, 0)])],
    ['tob3', Buffer.concat([tob3Header('1 SEC'), tob3Frame(0), Buffer.alloc(FRAME_BYTES)])],
  ] as const) {
    await using place = await workplace()
    await prepare(place, { 'm.yaml': MAPPING.replace('tob1', format) })
    await writeFile(join(place.folder, 'a.dat'), content)

    const { code, stdout } = await place.run(['import', 'a.dat', '--mapping', 'm.yaml'])

    assert.equal(code, 0, stdout)
    const [first, second] = format === 'tob1' ? [1.5, 2.5] : [0, 1]
    assert.deepEqual(await recordsOf(place, 'theme', 1002), [
      `{"strain":${first},"time":"2026-01-01 00:00:00"}`,
      `{"strain":${second},"time":"2026-01-01 00:00:01"}`,
    ])
    if (format === 'tob3') assert.match(stdout, /^28 bytes left out: space that was reserved/m)
  }
})

test('a watched binary table is read on as it grows, over restarts', async () => {
  await using place = await watched({ mapping: MAPPING })
  const rows = [1, 2, 3, 4].map((strain) => tob1Record(strain * 20, strain, 0))
  const [first, second, third, fourth] = rows
  await writeFile(place.path('a.csv'), Buffer.concat([TOB1_HEADER, first!, second!.subarray(0, 5)]))
  await place.start()
  await place.until(() => place.strains(), [1])

  await appendFile(place.path('a.csv'), Buffer.concat([second!.subarray(5), third!]))
  await place.until(() => place.strains(), [1, 2, 3])
  await place.restart()
  await appendFile(place.path('a.csv'), fourth!)

  await place.until(() => place.strains(), [1, 2, 3, 4])
  assert.equal((await place.service.storage.rejects.list({ limit: 9 })).length, 0)
})

test('watched TOB3 files with the same header are told apart by their first frame', async () => {
  await using place = await watched({ mapping: MAPPING.replace('tob1', 'tob3') })
  const [header, first, second] = [tob3Header('1 SEC'), tob3Frame(0), tob3Frame(20)]
  await writeFile(place.path('a.csv'), Buffer.concat([header, first]))
  await place.start()
  await place.until(() => place.strains(), [0, 1])

  await writeFile(place.path('b.csv'), Buffer.concat([header, second]))

  await place.until(() => place.strains(), [0, 1, 40, 41])
  await place.restart()
  await place.waitUntilRead()
  assert.equal(place.logged('new rows of a watched file'), 0)
})
