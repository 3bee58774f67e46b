import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { confirmedAt } from '../../src/domain/time/trusted-clock.ts'
import { HEADER, MAPPING, row } from '../ingest/_watched.ts'
import { fill, workplace } from './_cli.ts'

const DAY = 86_400_000

test('import stores nothing where the clock is behind the one of the service, and begins no change', async () => {
  await using place = await workplace()
  await fill(place, ({ clock }) => clock.write(confirmedAt(Date.now() + 3 * DAY), 0))
  await writeFile(join(place.folder, 'm.yaml'), `delimiter: ;\n${MAPPING}`)
  await writeFile(join(place.folder, 'a.csv'), `${HEADER}${row(0, 1)}`)

  const { code, stdout, stderr } = await place.run(['import', 'a.csv', '--mapping', 'm.yaml'])

  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^The service's clock says .*nothing is stored until the clock is set right/)
  assert.deepEqual(await place.json('changes'), [])
})
