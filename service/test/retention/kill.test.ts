import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zone } from '../../src/domain/time/local-time.ts'
import { expireDaily } from '../../src/retention/expire-daily.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { SITE } from '../_site.ts'
import { newPlace, rowsOf } from '../storage/_place.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 22, 12)
const STATION = 1041
const BRIDGE = '    portrait: bridge.jpg\n'
const KEPT = SITE.replace(BRIDGE, `${BRIDGE}    retention: { theme: 1mo }\n`)
const DAYS = 100
/** A twentieth of a hundred records. */
const SHARE = 5

const noonOf = (day: number): number => Date.UTC(2026, 0, 1 + day, 12)

/** Ends as a killed process does: the transaction is there, and nothing follows it. */
const killedAfterDeleting = (storage: Storage): Pick<Storage, 'retention'> => ({
  retention: {
    ...storage.retention,
    async expire(what) {
      const step = await storage.retention.expire(what)
      if (step.records > 0) throw new Error('killed')
      return step
    },
  },
})

async function count(storage: Storage): Promise<number> {
  return storage.retention.count({ kind: 'theme', source: STATION, before: NOW + DAY })
}

for (const form of ['open', 'sealed'] as const)
  test(`${form} records that were deleted before a kill count in the share of the day`, async () => {
    await using place = await newPlace(openSqlite)
    const storage = await place.open()
    await applySite(storage, { text: KEPT, fileName: 'site.yaml' })
    const catalogue = await openCatalogue(storage.site)()
    const days = Array.from({ length: DAYS }, (_, day) => noonOf(day))
    await storage.records.write({ theme: rowsOf(STATION, [...days, NOW - 1]) })
    if (form === 'sealed')
      for (let start = Date.UTC(2026, 0, 1); start < noonOf(DAYS); start += DAY) {
        const span = { start, until: start + DAY, zone: zone('Asia/Shanghai') }
        await storage.sealedDays.seal({ kind: 'theme', source: STATION, ...span })
      }
    const options = { catalogue, now: NOW, maxShareOfDay: 0.05 }

    await assert.rejects(
      expireDaily({ ...options, storage: killedAfterDeleting(storage) }),
      /killed/,
    )
    const afterKill = await count(storage)
    await storage.records.write({ theme: rowsOf(STATION, days.slice(0, SHARE)) })
    await expireDaily({ ...options, storage })

    assert.equal(afterKill, DAYS + 1 - SHARE)
    assert.equal(await count(storage), DAYS + 1)
  })
