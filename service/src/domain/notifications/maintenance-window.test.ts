import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInMaintenance, type MaintenanceWindow } from './maintenance-window.ts'

const window = (parts: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  id: 1,
  structures: [],
  stations: [],
  startsAt: 100,
  endsAt: 200,
  reason: 'work',
  ...parts,
})

const ofStation = { structure: 7, stations: [1001] }
const ofDevice = { structure: 7, stations: [] }

test('a maintenance window holds at both its ends and between, and not beyond', () => {
  const held = [99, 100, 150, 200, 201].map((at) => isInMaintenance(window(), ofStation, at))

  assert.deepEqual(held, [false, true, true, true, false])
})

test('a window of structures is about everything in them, and nothing else', () => {
  assert.equal(isInMaintenance(window({ structures: [6, 7] }), ofDevice, 150), true)
  assert.equal(isInMaintenance(window({ structures: [6] }), ofStation, 150), false)
})

test('a window of stations is about a sensor that feeds those alone', () => {
  const work = window({ stations: [1001, 1002] })

  const held = [[1001], [1001, 1002], [1001, 1003], []].map((stations) =>
    isInMaintenance(work, { structure: 7, stations }, 150),
  )

  assert.deepEqual(held, [true, true, false, false])
})

test('a window of structures and stations is about either', () => {
  const work = window({ structures: [6], stations: [1001] })

  assert.equal(isInMaintenance(work, ofStation, 150), true)
  assert.equal(isInMaintenance(work, { structure: 6, stations: [9] }, 150), true)
  assert.equal(isInMaintenance(work, { structure: 7, stations: [9] }, 150), false)
})
