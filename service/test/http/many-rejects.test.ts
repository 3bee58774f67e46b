import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SITE } from '../_site.ts'
import { withService } from '../_service.ts'

for (const count of [1_000, 1_001, 2_000, 2_500])
  test(`of ${count} rejected records each is named, and the good one is stored`, async () => {
    await using service = await withService({ site: SITE })
    const authorization = `Bearer ${await service.createKey()}`
    const good = { station: 1001, time: '2026-03-01 12:00:00', values: { strain: 1 } }
    const bad = Array.from({ length: count }, (_, at) => `測 "${at}"`)

    for (const coding of ['identity', 'gzip']) {
      const response = await service.call('/ingest/v1/theme', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'accept-encoding': coding },
        body: JSON.stringify({ records: [...bad, good] }),
      })

      assert.equal(response.status, 200)
      const report = response.json()
      assert.deepEqual(Object.keys(report), ['accepted', 'replaced', 'rejected'])
      assert.equal(report.accepted, 1)
      assert.deepEqual(
        report.rejected.map(({ index }: { index: number }) => index),
        [...bad.keys()],
      )
    }
  })
