import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { confirmedAt } from '../../src/domain/time/trusted-clock.ts'
import { rowsOf } from '../storage/_place.ts'
import { INFLUX_ORIGIN } from '../../src/domain/rejects/reject-origin.ts'
import { SITE } from '../_site.ts'
import { fill, workplace } from './_cli.ts'

const DAY = 86_400_000
const SPAN = ['--from', '2026-01-05', '--to', '2026-01-05']
const STOPPED = [
  ['rejects', 'replay', '--all'],
  ['recompute', '--structure', '1', ...SPAN],
  ['recompute', '--structure', '1', ...SPAN, '--commit'],
  ['records', 'delete', '--station', '1001', ...SPAN, '--yes'],
  ['site', 'apply', 'site.yaml', '--convert'],
]

test('commands that use the clock stop with both times when it is behind', async () => {
  await using place = await workplace()
  const refusal = { ...INFLUX_ORIGIN, place: 'line 1', reason: '', receivedAt: 0 }
  await fill(place, async (storage) => {
    await storage.records.write({ theme: rowsOf(1001, [Date.UTC(2026, 0, 5, 12)]) })
    const level = '{"waterLevel":1,"time":"2026-01-05 12:00:00"}'
    const row = { sources: [2001], times: [Date.UTC(2026, 0, 5, 12)], records: [level] }
    await storage.records.write({ theme: row })
    await storage.rejects.add([{ ...refusal, payload: Buffer.from('m f=1') }], { records: 100 })
    await storage.clock.write(confirmedAt(Date.now() + 2 * DAY), 0)
  })

  const inMillimetres = SITE.replace('unit: m, precision: 0.001', 'unit: mm, precision: 1')
  assert.notEqual(inMillimetres, SITE)
  await writeFile(join(place.folder, 'site.yaml'), inMillimetres)

  for (const command of STOPPED) {
    const { code, stdout, stderr } = await place.run(command)
    assert.deepEqual([code, stdout], [1, ''], command.join(' '))
    assert.match(
      stderr,
      /^The service's clock says .*, but it has passed .* before.*--confirm-clock.*\n$/,
    )
  }
  const changes = await place.run(['changes'])

  assert.equal(changes.stdout, 'There are no changes.\n')
})
