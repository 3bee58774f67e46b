import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterCalls } from '../_after-calls.ts'
import { IDS, SITE } from '../_site.ts'
import { eventually } from '../_eventually.ts'
import { HOUR, MINUTE, START, withClock, type Held } from './_early.ts'

const YEARS = 3650 * 24 * HOUR

/** The logger reports every ten minutes, the wire behind it every five. */
const WATCHED = SITE.replace(
  'name: VW-01\n        kind: sensor\n',
  'name: VW-01\n        kind: sensor\n        intervalSeconds: 300\n',
)

const EVERY = { 'alarms.offlineCheckSeconds': 0.05 }

const beat = (held: Held, ahead: number) =>
  held.send('heartbeats', { devices: [{ device: IDS.logger, time: held.clock.now + ahead }] })

const sendWire = (held: Held, ahead: number) =>
  held.send('raw', {
    records: [{ sensor: IDS.wire, time: held.clock.now + ahead, values: { temperature: 1 } }],
  })

/** Lets time pass in steps, so that none is longer than a job's lease. */
const pass = (held: Held, time: number): void => {
  held.clock.now += time
}

test('a record stored while the clock was years ahead hides and mutes nothing once the clock is right', async () => {
  await using held = await withClock({}, { now: START + YEARS })
  await held.sendTheme([YEARS, 250])
  assert.equal((await held.alarms()).length, 1)

  held.clock.now = START
  // That of years ahead is refused now.
  held.token = await held.service.issueToken()
  await held.sendTheme([0, 250])
  const newest = await held.get('/stations/theme/data?stations=1001&limit=1')
  assert.deepEqual(held.values(newest), [250])
  assert.equal(newest.json().stations[0].data[0].time, '2026-03-01 08:00:00')
  // The alarm of then goes on today: repeated, and cleared.
  assert.deepEqual(await held.alarms(), [[1, '2026-03-01 08:00:00', '2026-03-01 08:00:00']])
  held.clock.now = START + MINUTE
  await held.sendTheme([MINUTE, 0])
  assert.deepEqual(await held.alarms(), [[3, '2026-03-01 08:00:00', '2026-03-01 08:01:00']])
  await held.sendTheme([2 * MINUTE, 300])
  assert.deepEqual((await held.alarms()).at(-1), [0, '2026-03-01 08:02:00', '2026-03-01 08:02:00'])
})

test('a heartbeat ahead of the clock counts from its arrival, and a silent logger is offline after its own interval', async () => {
  await using held = await withClock(EVERY, { site: WATCHED })
  await beat(held, 2 * HOUR)

  pass(held, 31 * MINUTE)

  await held.alarmsBecome([[0, '2026-03-01 08:31:00', '2026-03-01 08:31:00']], IDS.logger)
  await beat(held, 2 * HOUR)
  await held.alarmsBecome([[3, '2026-03-01 08:31:00', '2026-03-01 08:31:00']], IDS.logger)
})

test('a sensor with early records is online from their arrival, and offline when none arrives', async () => {
  await using held = await withClock(EVERY, { site: WATCHED })
  await sendWire(held, 20 * MINUTE)
  for (let minutes = 0; minutes < 40; minutes += 5) {
    pass(held, 5 * MINUTE)
    await sendWire(held, 20 * MINUTE)
    await beat(held, 0)
  }
  assert.deepEqual(await held.alarms(IDS.wire), [])

  // Its last record is of twenty minutes later, and says nothing of then.
  for (let minutes = 0; minutes < 20; minutes += 5) {
    pass(held, 5 * MINUTE)
    await beat(held, 0)
  }

  await held.alarmsBecome([[0, '2026-03-01 09:00:00', '2026-03-01 09:00:00']], IDS.wire)
})

test('a sensor whose clock was set right is online by its records of today', async () => {
  await using held = await withClock(EVERY, { site: WATCHED })
  await sendWire(held, 2 * HOUR)

  for (let minutes = 0; minutes < 60; minutes += 5) {
    pass(held, 5 * MINUTE)
    await sendWire(held, 0)
    await beat(held, 0)
  }

  assert.deepEqual(await held.alarms(IDS.wire), [])
})

test('a contact stored while the clock was years ahead does not keep a logger online', async () => {
  await using held = await withClock(EVERY, { site: WATCHED, now: START + YEARS })
  await beat(held, 0)

  held.clock.now = START
  const { storage } = held.service
  await eventually(async () => {
    const [contact] = await storage.devices.listContacts()
    assert.equal(contact?.time, START + YEARS)
  })
  await afterCalls(storage.devices, 'listContacts')
  held.clock.now = START + 31 * MINUTE

  const token = await held.service.issueToken()
  await eventually(async () => {
    const response = await held.service.post('/users/1/alarms', token)
    assert.match(response.text, /silent for 31 min/)
  })
  await beat(held, 0)
  assert.deepEqual(await storage.devices.listContacts(), [
    { device: IDS.logger, time: START + 31 * MINUTE },
  ])
})
