import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Commits } from '../../src/commit/commits.ts'
import { restoreAlarms } from '../../src/alarms/restore-alarms.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import type { AlarmChange, AlarmStore, UndoStep } from '../../src/storage/storage.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const NOW = Date.UTC(2026, 2, 2, 4)

/** A service whose station had an alarm, which ended with its records. */
async function afterDeletion(service: TestService) {
  const key = await service.createKey()
  const token = await service.issueToken(1)
  const record = { station: 1001, time: NOW, values: { strain: 400 } }
  await service.ingest('theme', key, { records: [record] })
  const response = await service.call('/manage/v1/records/delete', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      station: 1001,
      startTime: '2026-01-01 00:00:00',
      endTime: '2026-12-31 00:00:00',
    }),
  })
  return { key, record, change: response.json().change as number }
}

/** Restores alarms as a command would; what became of them, and the steps that were written. */
async function restore(
  { storage }: TestService,
  writer: number,
  newest: UndoStep['newest'],
  now = NOW,
) {
  const catalogue = await openCatalogue(storage.site)()
  const steps: AlarmChange[] = []
  const write: AlarmStore['write'] = (writes) => {
    steps.push(...writes.changes)
    return storage.alarms.write(writes)
  }
  const { records, waveforms } = storage
  const watched = { records, waveforms, alarms: { ...storage.alarms, write } }
  const commits = Commits.open({ storage: watched, writer, now: () => now })
  const options = { newest, sponsor: 'plumbline', now }
  const restored = await restoreAlarms({ commits, storage: watched }, catalogue, options)
  return { outcomes: restored.map(({ outcome }) => outcome), steps }
}

const stepsOf = (steps: readonly AlarmChange[]) =>
  steps.map(({ isLate, detail }) => [isLate, detail?.alarmState])

test('a reopened alarm sends no notification, and restoring twice changes nothing', async () => {
  await using service = await withService({ site: SITE, now: () => NOW })
  const { storage } = service
  const { key, record, change } = await afterDeletion(service)
  const { newest } = await storage.changes.undo(change, { limit: 9, now: NOW })

  const first = await restore(service, 71, newest)
  const second = await restore(service, 72, newest)
  // The same record once more is not another occurrence.
  await service.ingest('theme', key, { records: [record] })

  assert.deepEqual(Array.from(newest), [[1001, NOW]])
  assert.deepEqual([first.outcomes, second.outcomes], [['reopened'], []])
  assert.deepEqual(stepsOf([...first.steps, ...second.steps]), [[true, 0]])
  const alarm = await storage.alarms.find(1)
  assert.deepEqual([alarm?.state, alarm?.count], [0, 1])
})

test('an alarm that a later normal record clears again sends no second notification', async () => {
  const clock = { now: NOW }
  await using service = await withService({ site: SITE, now: () => clock.now })
  const { key, record, change } = await afterDeletion(service)
  clock.now += 60_000
  const calm = { ...record, time: clock.now, values: { strain: 1 } }
  await service.ingest('theme', key, { records: [calm] })
  const { newest } = await service.storage.changes.undo(change, { limit: 9, now: clock.now })

  const { outcomes, steps } = await restore(service, 71, newest, clock.now)

  assert.deepEqual(outcomes, ['reopened', 'ended'])
  assert.deepEqual(stepsOf(steps).slice(-1), [[true, 3]])
})
