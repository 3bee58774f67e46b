import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  abortsAfter,
  apply,
  IN_METRES,
  inMillimetres,
  PIT,
  pit,
  recordsOf,
  recordsWith,
} from './_meaning.ts'

describe('while records are rewritten', () => {
  test('no service may run', async () => {
    await using place = await pit()
    const service = await place.serve(['--port', '0'])

    const beside = await apply(place, IN_METRES, ['--convert'])
    const relabelled = await apply(place, IN_METRES, ['--relabel'])
    await service.stop()

    assert.equal(beside.code, 1)
    assert.match(beside.stderr, /^Stored records are rewritten while nothing else uses the data/)
    assert.equal(relabelled.code, 0)
  })

  test('an interruption keeps everything else out until the same command ends it', async () => {
    await using place = await pit()

    const stopped = await apply(place, IN_METRES, ['--convert'], { signal: abortsAfter(1) })
    await assert.rejects(place.serve(['--port', '0']), /ended 1: .*Change 1, .* is not finished/)
    const others = await Promise.all([
      place.run([
        'records',
        'delete',
        '--station',
        '11',
        '--from',
        '2026-01-01',
        '--to',
        '2026-02-01',
      ]),
      apply(place, PIT),
    ])
    const ended = await apply(place, IN_METRES, ['--convert'])

    assert.match(stopped.stderr, /Stopped: some records are rewritten.*"plumbline undo 1"/)
    for (const { code, stderr } of others) {
      assert.equal(code, 1)
      assert.match(
        stderr,
        /Change 1, factor 15: settling in mm to settling in m \(\w{8}\), is not finished/,
      )
    }
    assert.equal(ended.code, 0, ended.stderr)
    for (const station of [11, 12, 21])
      assert.deepEqual(
        await recordsOf(place, 'theme', station),
        recordsWith('settling', (value) => value / 1000),
      )
  })

  test('an interrupted rewriting can be undone, and then nothing has changed', async () => {
    await using place = await pit()

    await apply(place, IN_METRES, ['--convert'], { signal: abortsAfter(2) })
    const undone = await place.run(['undo', '1'])
    const again = await apply(place, PIT)

    assert.equal(undone.code, 0, undone.stderr)
    assert.equal(again.stdout, 'nothing to change\n')
    for (const station of [11, 12, 21])
      assert.deepEqual(await recordsOf(place, 'theme', station), inMillimetres)
  })
})

test('what a change has kept in another unit is named, and restored only after the rewriting', async () => {
  await using place = await pit()
  const span = ['--from', '2026-01-11', '--to', '2026-01-11']
  await place.run(['records', 'delete', '--station', '11', ...span, '--yes'])

  const relabelled = await apply(place, IN_METRES, ['--relabel', '--dry-run'])
  const converted = await apply(place, IN_METRES, ['--convert'])
  const refused = await place.run(['undo', '1'])
  const undone = [await place.run(['undo', '2']), await place.run(['undo', '1'])]

  for (const { stdout } of [relabelled, converted])
    assert.match(
      stdout,
      /^! change 1 can restore records of item settling of factor 15 as they were before: undo first what is to be undone$/m,
    )
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    /^Change 1 has records from before change 2 \(factor 15: settling in mm to settling in m \(\w{8}\)\), which gave records other units or keys\. Undo change 2 first\.\n$/,
  )
  assert.deepEqual(
    undone.map(({ code }) => code),
    [0, 0],
  )
  assert.deepEqual(await recordsOf(place, 'theme', 11), inMillimetres)
})
