import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AlarmEngine } from '../../src/alarms/engine.ts'
import { restoreAlarms } from '../../src/alarms/restore-alarms.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import type { AlarmChange, AlarmStore } from '../../src/storage/storage.ts'
import { withService } from '../_service.ts'
import { SITE } from '../_site.ts'

const NOW = Date.UTC(2026, 2, 2, 4)

test('nobody is told of an alarm again that is open again, and restoring twice changes nothing', async () => {
  await using service = await withService({ site: SITE, now: () => NOW })
  const { storage } = service
  const key = await service.createKey()
  const token = await service.issueToken(1)
  const record = { station: 1001, time: NOW, values: { strain: 400 } }
  await service.ingest('theme', key, { records: [record] })
  const answer = await service.call('/manage/v1/records/delete', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      station: 1001,
      startTime: '2026-01-01 00:00:00',
      endTime: '2026-12-31 00:00:00',
    }),
  })
  const { newest } = await storage.changes.undo(answer.json().change, { limit: 9, now: NOW })
  const catalogue = await openCatalogue(storage.sites)()

  const steps: AlarmChange[] = []
  const write: AlarmStore['write'] = (writes) => {
    steps.push(...writes.changes)
    return storage.alarms.write(writes)
  }
  const watched = { data: storage.data, alarms: { ...storage.alarms, write } }
  const rounds: (string[] | undefined)[] = []
  for (const writer of [71, 72]) {
    const alarms = new AlarmEngine({ storage: watched, writer, now: () => NOW })
    const options = { newest, sponsor: 'plumbline', now: NOW }
    const restored = await restoreAlarms({ alarms, storage: watched }, catalogue, options)
    rounds.push(restored.map(({ outcome }) => outcome))
  }
  // The same record once more is not another occurrence.
  await service.ingest('theme', key, { records: [record] })

  assert.deepEqual(Array.from(newest), [[1001, NOW]])
  assert.deepEqual(rounds, [['reopened'], []])
  assert.deepEqual(
    steps.map(({ isLate, detail }) => [isLate, detail?.alarmState]),
    [[true, 0]],
  )
  const alarm = await storage.alarms.find(1)
  assert.deepEqual([alarm?.state, alarm?.count], [0, 1])
})
