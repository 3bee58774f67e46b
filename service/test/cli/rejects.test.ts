import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  BROKER_ORIGIN,
  INFLUX_ORIGIN,
  type RejectOrigin,
} from '../../src/domain/rejects/reject-origin.ts'
import type { Reject } from '../../src/storage/storage.ts'
import { IDS } from '../_site.ts'
import { fill, workplace } from './_cli.ts'

const refusal = (origin: RejectOrigin, place: string, payload: string): Reject => ({
  ...origin,
  place,
  reason: 'it was wrong',
  payload: Buffer.from(payload),
  receivedAt: Date.UTC(2026, 2, 1),
  context: JSON.stringify({ topic: place }),
})

const SETTINGS = `ingest:
  broker:
    topics: [{ topic: 'site/{sensor}/up', preset: tsValues }]
`

test('rejects are listed, replayed with the current settings, and dropped', async () => {
  await using place = await workplace()
  const good = '{"ts":1772362800000,"values":{"temperature":5}}'
  await fill(place, (storage) =>
    storage.rejects.add(
      [
        refusal(BROKER_ORIGIN, `site/${IDS.wire}/up`, good),
        refusal(BROKER_ORIGIN, `site/${IDS.wire}/up`, 'bad\u0007'),
        { ...refusal(INFLUX_ORIGIN, 'line 3 (s)', 'm f=1'), context: 's' },
      ],
      { records: 100 },
    ),
  )
  await writeFile(join(place.folder, 'data', 'plumbline.yaml'), SETTINGS)

  const list = await place.run(['rejects', 'list'])
  const ofOne = await place.json('rejects', 'list', '--origin', 'influx')
  const replayed = await place.run(['rejects', 'replay', '--all'])
  const again = await place.json('rejects', 'list')
  const dropped = await place.run(['rejects', 'drop', '2'])
  const gone = await place.json('rejects', 'drop', '--origin', 'influx')
  const none = await place.run(['rejects', 'list'])

  const lines = list.stdout.split('\n')
  assert.match(lines[0]!, /^id +received +origin +place +reason +payload$/)
  assert.match(lines[1]!, /^3 +2026-03-01 00:00:00 UTC +influx +line 3 \(s\) +it was wrong +m f=1$/)
  assert.match(lines[2]!, /bad·$/)
  assert.deepEqual(lines.slice(-3), [
    'broker: 2 kept, 0 older ones dropped',
    'influx: 1 kept, 0 older ones dropped',
    '',
  ])
  assert.deepEqual(
    ofOne.map(({ id, payload }: { id: number; payload: string }) => [id, atob(payload)]),
    [[3, 'm f=1']],
  )
  assert.match(
    replayed.stdout,
    /^Reject 2 was rejected again: the payload is not JSON: .+\nReject 3 was rejected again: the point has no tag "sensor"\n1 replayed, 2 rejected again\n$/,
  )
  assert.match(again[0].reason, /^the point has no tag "sensor"$/)
  assert.match(again[1].reason, /^the payload is not JSON/)
  assert.equal(dropped.stdout, '1 dropped\n')
  assert.deepEqual(gone, { removed: 1 })
  assert.equal(none.stdout, 'There are no rejects.\n')
})

test('rejects without arguments prints its usage', async () => {
  await using place = await workplace()
  await fill(place, async () => undefined)

  for (const [args, words] of [
    [['rejects'], 'expected: list, replay, drop'],
    [['rejects', 'replay'], 'give the ids of rejects, --origin or --all'],
    [['rejects', 'drop', '1', '--all'], 'Use only one of ids, --origin and --all.'],
    [['rejects', 'drop', 'x'], '"x" is not the number of a reject'],
  ] as const) {
    const { code, stderr } = await place.run(args)
    assert.equal(code, 2)
    assert.ok(stderr.includes(words), stderr)
  }
})

test('a line whose precision was not kept is not replayed', async () => {
  await using place = await workplace()
  const line = refusal(INFLUX_ORIGIN, 'line 1', `m,sensor=${IDS.wire} temperature=1 1772362801`)
  await fill(place, (storage) => storage.rejects.add([line], { records: 100 }))

  const { stdout } = await place.run(['rejects', 'replay', '--all'])

  assert.match(stdout, /^Reject 1 was rejected again: the precision of the line was not kept\n/)
})
