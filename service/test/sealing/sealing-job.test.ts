import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterCalls } from '../_after-calls.ts'
import { resolveConfig } from '../../src/config/config.ts'
import { inDatabase } from '../_sealed.ts'
import { eventually } from '../_eventually.ts'
import { freePort, withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { rowsOf } from '../storage/_place.ts'

const DAY = 86_400_000
/** Other jobs hold leases of their own. */
const SEALING = `leases where name = 'sealing'`
const LEASE = { name: 'sealing', holder: 'another' }

/** The settings as an operator gives them; between two runs is 0.6 s. */
const { 'seal.afterDays': afterDays, 'seal.everyMinutes': everyMinutes } = resolveConfig({
  flags: {},
  environment: { PLUMBLINE_SEAL_AFTER_DAYS: '1', PLUMBLINE_SEAL_EVERY_MINUTES: '0.01' },
})
const OFTEN = { 'seal.afterDays': afterDays, 'seal.everyMinutes': everyMinutes, 'seal.cpuShare': 1 }

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-sealing-'))
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

const serve = (folder: string, more: { now?: () => number; first?: number } = {}) =>
  withService({
    site: SITE,
    settings: OFTEN,
    folder,
    firstSealingMilliseconds: more.first ?? 20,
    ...(more.now === undefined ? {} : { now: more.now }),
  })

const days = (count: number, from: number): number[] =>
  Array.from({ length: count }, (_, day) => [0, 1_000].map((at) => from + day * DAY + at)).flat()

const count = (folder: string, table: string): number =>
  inDatabase(folder, (database) =>
    database.prepare(`select count(*) from ${table}`).pluck().get(),
  ) as number

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000
  while (!(await isTrue())) {
    assert.ok(Date.now() < end, 'it never came true')
    await sleep(10)
  }
}

const logOf = ({ logged }: TestService): string[] =>
  logged.filter((line) => line.includes('past days were sealed'))

test('a service seals days that ended long enough ago, and later ones too', async () => {
  await using place = await makeFolder()
  const { folder } = place
  await using service = await serve(folder)
  const now = Date.now()
  const key = await service.createKey()
  const send = (time: number) =>
    service.ingest('theme', key, { records: [{ station: 2001, time, values: { waterLevel: 1 } }] })

  await send(now - 5 * DAY)
  await send(now - 3 * DAY)
  await send(now)
  await until(() => count(folder, 'theme_sealed_parts') === 2)
  await send(now - 9 * DAY)
  await until(() => count(folder, 'theme_sealed_parts') === 3)

  assert.equal(count(folder, 'theme_records'), 1)
  assert.match(logOf(service)[0]!, /"records":\d/)
})

test('metrics have what was sealed, and when the last run ended', async () => {
  await using place = await makeFolder()
  const ops = await freePort()
  const before = Date.now() / 1000
  await using service = await withService({
    site: SITE,
    settings: { ...OFTEN, 'ops.port': ops },
    folder: place.folder,
    firstSealingMilliseconds: 20,
  })
  const records = [3, 4].map((age) => ({
    station: 2001,
    time: Date.now() - age * DAY,
    values: { waterLevel: 1 },
  }))
  await service.ingest('theme', await service.createKey(), { records })

  await eventually(async () => {
    const text = await (await fetch(`http://127.0.0.1:${ops}/metrics`)).text()
    assert.match(text, /^plumbline_sealed_records_total 2$/m)
    assert.match(text, /^plumbline_sealed_days_total 2$/m)
    const [, end] = /^plumbline_sealing_last_run_timestamp_seconds (\S+)$/m.exec(text) ?? []
    assert.ok(Number(end) >= before, text)
  })
})

test('of two services on one folder only the one that holds the lease seals', async () => {
  await using place = await makeFolder()
  const { folder } = place
  await using first = await serve(folder)
  await using second = await serve(folder)
  const holders = new Set<string>()
  await first.storage.records.write({ theme: rowsOf(2001, days(300, 0)) })

  await until(() => {
    const rows = inDatabase(folder, (one) =>
      one.prepare(`select holder from ${SEALING}`).pluck().all(),
    )
    assert.ok(rows.length <= 1)
    for (const holder of rows as string[]) holders.add(holder)
    return count(folder, 'theme_records') === 0
  })
  await until(() => count(folder, SEALING) === 0)

  const records = [first, second].flatMap(logOf).map((line) => JSON.parse(line).records as number)
  assert.equal(
    records.reduce((a, b) => a + b),
    600,
  )
  assert.ok(holders.size > 0)
})

test('a service waits while another one holds the lease, and takes over when it has expired', async () => {
  await using place = await makeFolder()
  const { folder } = place
  let now = Date.now()
  await using service = await serve(folder, { now: () => now })
  await until(() => service.storage.leases.take({ ...LEASE, now, until: now + 60_000 }))
  await service.storage.records.write({ theme: rowsOf(2001, days(2, 0)) })

  await afterCalls(service.storage.leases, 'take', ({ name }) => name === LEASE.name)
  const whileHeld = count(folder, 'theme_sealed_parts')
  now += 60_001
  await until(() => count(folder, 'theme_sealed_parts') === 2)

  assert.equal(whileHeld, 0)
  await until(() => count(folder, SEALING) === 0)
})

test('a service that stops while it seals releases the lease and leaves whole days', async () => {
  await using place = await makeFolder()
  const { folder } = place
  {
    await using service = await serve(folder, { first: 600 })
    await service.storage.records.write({ theme: rowsOf(2001, days(400, 0)) })
    await until(() => count(folder, 'theme_sealed_parts') > 2)
  }

  const sealed = count(folder, 'theme_sealed_parts')
  assert.ok(sealed < 400, String(sealed))
  assert.equal(count(folder, 'theme_records'), 800 - 2 * sealed)
  assert.equal(count(folder, SEALING), 0)
})
