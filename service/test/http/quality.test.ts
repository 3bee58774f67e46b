import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BASE } from '../_derived-site.ts'
import { at, mark, open, undo } from './_quality.ts'

describe('markStation', () => {
  test('a bad value is not in the interface, and is again when it is good or its change undone', async () => {
    await using own = await open()
    for (const minute of [0, 1, 2])
      await own.theme(1001, minute, { strain: minute, temperature: 5 })
    const window = { startTime: at(1), endTime: at(1) }
    const whole = await own.values(1001)

    const dry = await own.mark('stations/1001', { quality: 'bad', ...window, dryRun: true })
    const bad = await own.mark('stations/1001', { quality: 'bad: cable cut', ...window })
    const meanwhile = await own.values(1001)
    const again = await own.mark('stations/1001', { quality: 'bad: cable cut', ...window })
    const good = await own.mark('stations/1001', {
      quality: 'good',
      items: ['strain'],
      ...window,
    })
    const partly = await own.values(1001)
    await undo(own.service, good.json().change)
    await undo(own.service, bad.json().change)

    const counts = { records: 1, values: 2, ended: [], restored: [] }
    assert.deepEqual(dry.json(), { change: null, ...counts })
    assert.deepEqual(bad.json(), { change: 1, ...counts })
    assert.deepEqual(again.json(), { change: null, ...counts, records: 0, values: 0 })
    assert.deepEqual(meanwhile, [whole[0], whole[2]])
    assert.deepEqual(good.json(), { change: 2, ...counts, values: 1 })
    assert.deepEqual(partly[1], { strain: 1 })
    assert.deepEqual(await own.values(1001), whole)
    const [change] = await own.service.storage.changes.list()
    assert.equal(change!.kind, 'marking')
    assert.equal(
      change!.description,
      `station 1001: theme, all items as bad: cable cut from ${at(1)} to ${at(1)}, by user 1`,
    )
  })

  test('the mark of a person stays with its value, whatever is sent later', async () => {
    await using own = await open()
    await own.theme(1001, 0, { strain: 1 })
    await own.theme(1001, 1, { strain: 1 }, { quality: 'bad' })
    await own.mark('stations/1001', { quality: 'bad', endTime: at(0) })
    await own.mark('stations/1001', { quality: 'good', startTime: at(1) })

    await own.theme(1001, 0, { strain: 7 })
    await own.theme(1001, 1, { strain: 8 }, { quality: 'bad' })

    assert.deepEqual(await own.values(1001), [{ strain: 8 }])
  })

  test('items with odd keys are marked and restored', async () => {
    await using own = await open()
    const values = JSON.parse('{"__proto__":1,"constructor":2,"back\\\\slash":3}') as object
    await own.send('theme', { station: 2002, time: at(0), values })
    const whole = await own.values(2002)

    const { change } = (await own.mark('stations/2002', { quality: 'bad' })).json()
    const meanwhile = await own.values(2002)
    await own.mark('stations/2002', { quality: 'good', items: ['__proto__'] })
    const left = await own.values(2002)

    assert.deepEqual([change, meanwhile], [1, []])
    assert.equal(JSON.stringify(left), '[{"__proto__":1}]')
    assert.equal(whole.length, 1)
  })

  test('an alarm of values that are bad now ends; it is open again when they are good', async () => {
    await using own = await open()
    await own.theme(1001, 0, { strain: 1 })
    await own.theme(1001, 1, { strain: 250 })
    const before = await own.alarms()

    const bad = (await own.mark('stations/1001', { quality: 'bad', startTime: at(1) })).json()
    const meanwhile = await own.alarms()
    const good = (await own.mark('stations/1001', { quality: 'good', startTime: at(1) })).json()

    const source = { id: '1001', name: '应变-01' }
    assert.deepEqual([before, meanwhile, await own.alarms()], [1, 0, 1])
    assert.deepEqual(bad.ended, [{ id: 1, alarmTypeCode: '3007', source, level: 2 }])
    assert.deepEqual(good.restored, [{ id: 1, source, level: 2, outcome: 'reopened' }])
  })

  test('a value that its sender marked as bad raises its alarm when a person marks it as good', async () => {
    await using own = await open()
    await own.theme(1001, 1, { strain: 250 }, { quality: 'bad' })
    const before = await own.alarms()

    const { restored } = (await own.mark('stations/1001', { quality: 'good' })).json()

    assert.deepEqual([before, await own.alarms()], [0, 1])
    assert.deepEqual(restored[0].outcome, 'opened')
  })

  test('an alarm is opened again by its own values while later ones are bad', async () => {
    await using own = await open()
    for (const minute of [1, 2]) await own.theme(1001, minute, { strain: 250 })
    await own.mark('stations/1001', { quality: 'bad' })
    const meanwhile = await own.alarms()

    const response = await own.mark('stations/1001', { quality: 'good', endTime: at(1) })

    assert.equal(response.json().restored[0].outcome, 'reopened', response.text)
    assert.deepEqual([meanwhile, await own.alarms()], [0, 1])
  })

  test('the next record raises an alarm after values at later times were marked as bad', async () => {
    await using own = await open()
    await own.theme(1001, 5, { strain: 250 })
    await own.mark('stations/1001', { quality: 'bad' })

    await own.theme(1001, 6, { strain: 350 })

    assert.equal(await own.alarms(), 1)
  })

  test('refuses what is no quality, no item, no station, and a station of others', async () => {
    await using own = await open()

    const cases: [string, object, number, RegExp][] = [
      ['stations/1001', { quality: 'wrong' }, 400, /"quality" cannot be read: expected good/],
      ['stations/1001', { quality: 'bad', items: ['x'] }, 400, /station 1001 has no item "x"/],
      ['stations/1001', { quality: 'bad', endTime: '2026-02-01 00:00:00' }, 400, /lies after/],
      ['stations/9', { quality: 'bad' }, 404, /no station 9/],
      [`sensors/${BASE.replace('02', '99')}`, { quality: 'bad' }, 404, /no sensor/],
    ]
    for (const [path, body, status, message] of cases) {
      const response = await own.mark(path, body)
      assert.equal(response.status, status, response.text)
      assert.match(response.json().message, message)
    }
    const foreign = { quality: 'bad', items: ['x'] }
    const response = await mark(own.service, own.tokens.other, 'stations/1001', foreign)
    assert.equal(response.status, 403)
  })
})
