import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { storingCommits } from '../../src/commit/record-commits.ts'
import { chooseMarkingTarget } from '../../src/marking/mark-target.ts'
import { markValues } from '../../src/marking/mark-values.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { BASE, CELL, derivedSite, POINT } from '../_derived-site.ts'
import { at, DAY, NOW, open, undo } from './_quality.ts'

describe('markSensor', () => {
  test('what is derived from a bad raw value is absent, and is derived again when it is good', async () => {
    await using own = await open(derivedSite(2))
    for (const minute of [0, 1]) await own.raw(CELL, minute, { v: 10 + minute })
    const whole = await own.values(11)

    const bad = await own.mark(`sensors/${CELL}`, { quality: 'bad', startTime: at(1) })
    const meanwhile = await own.values(11)
    await own.raw(CELL, 1, { v: 11 })
    const afterResending = await own.values(11)
    const good = await own.mark(`sensors/${CELL}`, { quality: 'good' })

    assert.deepEqual([bad.json().records, good.json().records], [1, 2])
    assert.equal(whole.length, 2)
    assert.deepEqual(meanwhile, whole.slice(0, 1))
    assert.deepEqual(afterResending, meanwhile)
    assert.deepEqual(await own.values(11), whole)
  })

  test('stations that depend on several sensors follow, and undo restores all', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(BASE, 0, { v: 1 })
    await own.raw(POINT, 0, { v: 5 })
    const read = async () => [await own.values(13), await own.values(14)]
    const whole = await read()

    const { change } = (await own.mark(`sensors/${BASE}`, { quality: 'bad' })).json()
    const meanwhile = await read()
    await undo(own.service, change)

    assert.deepEqual([whole[0]?.length, whole[1]?.length], [1, 1])
    assert.deepEqual(meanwhile, [[], []])
    assert.deepEqual(await read(), whole)
  })

  test('what is derived from several sensors is absent too where a sender corrects a value to bad', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(BASE, 0, { v: 1 })
    await own.raw(POINT, 0, { v: 5 })
    const before = await own.values(14)

    await own.send('raw', { sensor: POINT, time: at(0), values: { v: 5 }, quality: 'bad' })

    assert.deepEqual([before.length, await own.values(14)], [1, []])
  })

  test('a marking that ended before it derived is continued by the same request', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(BASE, 0, { v: 1 })
    await own.raw(POINT, 0, { v: 5 })
    const { storage } = own.service
    const quality = { quality: 'bad', reason: '' } as const
    const catalogue = openCatalogue(storage.site)
    const target = chooseMarkingTarget(await catalogue(), { sensor: POINT, quality })
    const description = `${target.description} from ${DAY.startTime} to ${DAY.endTime}, by user 1`
    const change = await storage.changes.begin({ kind: 'marking', description, startedAt: 1 })
    const derivation = { update: () => Promise.reject(new Error('killed')) }
    const parts = { catalogue, storage, commits: storingCommits(storage), derivation }
    const span = { from: 0, to: NOW }
    await assert.rejects(markValues(parts, { target, span, change }), /killed/)
    const before = await own.values(14)

    const response = await own.mark(`sensors/${POINT}`, { quality: 'bad' })

    assert.equal(response.json().change, change)
    assert.equal(before.length, 1)
    assert.deepEqual(await own.values(14), [])
  })

  test('a derived value that a person has marked stays so when its raw value is marked', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(CELL, 0, { v: 10 })
    await own.mark('stations/11', { quality: 'bad' })
    const { change } = (await own.mark(`sensors/${CELL}`, { quality: 'bad' })).json()

    await undo(own.service, change)

    assert.deepEqual(await own.values(11), [])
    await own.mark('stations/11', { quality: 'good' })
    assert.equal((await own.values(11)).length, 1)
  })

  test('recomputing keeps the mark of a person on a value with an uncertain input', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(CELL, 0, { v: 10 })
    await own.mark(`sensors/${CELL}`, { quality: 'uncertain: rust' })
    await own.mark('stations/11', { quality: 'good: compared with another gauge' })
    const read = () =>
      own.service.storage.records.findStored('theme', {
        sources: [11],
        times: [Date.UTC(2026, 2, 1)],
      })
    const before = await read()

    const response = await own.service.call('/manage/v1/structures/1/recompute', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${own.tokens.all}`,
      },
      body: JSON.stringify({ ...DAY, commit: true }),
    })

    assert.equal(response.json().stations[0].changed, 0, response.text)
    assert.match(before[0]?.marks ?? '', /"good".*"person"/)
    assert.deepEqual(await read(), before)
  })

  test('an alarm of a value that is derived from a bad one ends', async () => {
    await using own = await open(derivedSite(2))
    await own.raw(CELL, 0, { v: 2 })
    await own.raw(CELL, 1, { v: 100 })
    const before = await own.alarms()

    const { ended } = (
      await own.mark(`sensors/${CELL}`, { quality: 'bad', startTime: at(1) })
    ).json()
    const meanwhile = await own.alarms()
    await own.mark(`sensors/${CELL}`, { quality: 'uncertain: rust' })

    assert.deepEqual([before, ended.length, meanwhile, await own.alarms()], [1, 1, 0, 1])
  })
})
