import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { SITE } from '../_site.ts'
import { workplace } from './_cli.ts'

test('forget shows what would go, lets it go, and then finds nothing', async () => {
  await using place = await workplace()
  const river = '    timeZone: Europe/Berlin\n'
  const site = SITE.replace(river, `${river}    retention: { theme: 1y }\n`)
  await writeFile(join(place.folder, 'site.yaml'), site)
  await place.run(['site', 'apply', 'site.yaml'])
  const { key } = await place.json('key', 'create', '--name', 'logger')
  const service = await place.serve(['--port', '0'])
  const records = [1, 2, 3].map((day) => ({
    station: 2001,
    time: `2024-01-0${day} 12:00:00`,
    values: { waterLevel: day },
  }))
  const answer = await service.call('/ingest/v1/theme', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records }),
  })
  assert.equal(answer.json().accepted, 3)
  await service.stop()

  const other = await place.run(['forget', '--structure', '1'])
  const dry = await place.run(['forget', '--dry-run'])
  const real = await place.run(['forget'])
  const again = await place.run(['forget'])
  const unknown = await place.run(['forget', '--structure', '9'])

  const table = 'structure  theme  raw  vibration  traffic\n2          3      0    0          0\n'
  assert.equal(other.stdout, 'No records are past their term.\n')
  assert.equal(dry.stdout, `${table}(dry run: nothing was changed)\n`)
  assert.equal(real.stdout, `${table}These records were deleted.\n`)
  assert.equal(again.stdout, 'No records are past their term.\n')
  assert.equal(unknown.stderr, 'There is no structure 9.\n')
  assert.deepEqual(
    [other, dry, real, again, unknown].map(({ code }) => code),
    [0, 0, 0, 0, 1],
  )
})
