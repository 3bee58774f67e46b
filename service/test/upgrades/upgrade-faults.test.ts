import assert from 'node:assert/strict'
import { existsSync, watch, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DATABASE_VERSION } from '../../src/storage/sqlite/migrations/migrate.ts'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { workplace, type Workplace } from '../cli/_cli.ts'
import { fullDisk } from '../faults/_full-disk.ts'
import { versionOf } from '../faults/_versions.ts'
import { randomNumbers, runs } from '../_random.ts'
import { callHttps } from '../_service.ts'
import { readFixture, unpackFixture } from './_fixture.ts'
import { compareAnswers, openUpgraded } from './_open-upgraded.ts'

const EARLIER = 18
const KEPT = `plumbline.db.before-${DATABASE_VERSION}`
const FILLS = runs(40, 4)

/** A workplace whose data folder an earlier version has filled. */
async function withEarlier(): Promise<{ place: Workplace; folder: string }> {
  const place = await workplace()
  const folder = join(place.folder, 'data')
  await unpackFixture(EARLIER, folder)
  return { place, folder }
}

async function requireAnswers(folder: string): Promise<void> {
  const fixture = readFixture(EARLIER)
  await using service = await openUpgraded(fixture, folder)
  assert.deepEqual(await compareAnswers(service, fixture), [])
}

describe('an upgrade', () => {
  test(`whose disk is full from ${FILLS} random moments on loses nothing, and goes on when there is room`, async (t) => {
    const random = randomNumbers()
    const states = new Map<string, number>()
    for (let fill = 0; fill < FILLS; fill++) {
      const { place: made, folder } = await withEarlier()
      await using place = made
      const before = await readFile(join(folder, 'plumbline.db'))
      const { environment, flag } = await fullDisk(folder, t)
      await rm(flag)
      // Before the copy is whole there are few changes, and the steps after it take some milliseconds.
      const moment = 1 + Math.floor(random() * 30)
      const isAfterCopy = fill % 2 === 1
      const milliseconds = random() * 30
      let changes = 0
      const watcher = watch(folder, (_, name) => {
        if (!isAfterCopy && ++changes === moment) writeFileSync(flag, '')
        if (isAfterCopy && name === KEPT) setTimeout(() => writeFileSync(flag, ''), milliseconds)
      })

      const { code, stdout, stderr } = await place.runProcess(['migrate'], environment)
      watcher.close()
      const isKept = existsSync(join(folder, KEPT))
      const version = versionOf(folder)
      const state = `${code === 0 ? 'done' : 'refused'}, version ${version}${isKept ? ', kept' : ''}`
      states.set(state, (states.get(state) ?? 0) + 1)
      await rm(flag, { force: true })

      if (code !== 0) {
        const lines = stderr.trimEnd().split('\n')
        assert.match(lines.at(-1)!, /full|no space|ENOSPC/i, stderr)
        assert.ok(!stderr.includes('    at ') && stdout === '', stderr)
      }
      assert.equal((await place.runProcess(['migrate'])).code, 0)
      assert.equal(versionOf(folder), DATABASE_VERSION)
      assert.ok((await readFile(join(folder, KEPT))).equals(before), state)
      await requireAnswers(folder)
    }
    t.diagnostic(Array.from(states, ([state, count]) => `${count} ${state}`).join('; '))
  })

  test('by two services that start at once happens once, and both answer as before', async () => {
    const { place: made, folder } = await withEarlier()
    await using place = made
    const before = await readFile(join(folder, 'plumbline.db'))
    await ensureCertificate(folder, undefined, Date.now())
    const fixture = readFixture(EARLIER)

    const started = await Promise.allSettled([
      place.serve(['--port', '0']),
      place.serve(['--port', '0']),
    ])
    const services = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const certificate = await readFile(join(folder, 'tls', 'certificate.pem'), 'utf8')
    const statuses = await Promise.all(
      services.map(async ({ origin }) => {
        const path = '/api/v1/structures'
        const headers = { authorization: `Bearer ${fixture.token}` }
        return (await callHttps(`${origin}${path}`, certificate, { headers })).status
      }),
    )
    for (const service of services) await service.stop()

    const failures = started.flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason)] : [],
    )
    assert.ok(services.length >= 1, failures.join('\n'))
    for (const failure of failures) assert.match(failure, /another|migrat/i)
    assert.ok(
      statuses.every((status) => status === 200),
      statuses.join(),
    )
    assert.ok((await readFile(join(folder, KEPT))).equals(before))
    assert.equal(versionOf(folder), DATABASE_VERSION)
    await requireAnswers(folder)
  })
})
