import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFiltered, readFilters, toSearch, toggle } from './filters.ts'

test('an address without filters asks for the open alarms, the most severe first', () => {
  assert.deepEqual(toSearch(readFilters({})), {
    limit: 50,
    offset: 0,
    orderBy: 'level',
    orderDirection: 'asc',
    status: 'new',
  })
})

test('closed alarms are asked for with the newest first', () => {
  for (const status of ['history', 'all']) {
    const { orderBy, orderDirection } = readFilters({ status, sort: 'name' })
    assert.deepEqual([orderBy, orderDirection], ['endTime', 'desc'])
  }
  const { orderBy, orderDirection } = readFilters({ status: 'all', sort: 'level' })
  assert.deepEqual([orderBy, orderDirection], ['level', 'asc'])
})

test('every filter of the address is asked for', () => {
  const filters = readFilters({
    status: 'all',
    levels: '1,2',
    types: '3',
    structures: '101',
    from: '2026-01-01T08:00',
    to: '2026-01-02T20:30',
    keywords: ' DTU ',
    sort: 'endTime desc',
    page: '3',
  })

  assert.deepEqual(toSearch(filters), {
    limit: 50,
    offset: 100,
    orderBy: 'endTime',
    orderDirection: 'desc',
    levels: [1, 2],
    types: [3],
    structures: [101],
    startTime: '2026-01-01 08:00:00',
    endTime: '2026-01-02 20:30:59',
    keywords: 'DTU',
  })
  assert.ok(isFiltered(filters))
})

test('what an address has that is no filter changes nothing', () => {
  const odd = { status: 'x', levels: 'x,-1,', from: 'yesterday', sort: 'name desc', page: '-2' }

  assert.deepEqual(readFilters(odd), readFilters({}))
})

test('a number is put in and taken out', () => {
  assert.equal(toggle([1, 3], 2), '1,2,3')
  assert.equal(toggle([1, 3], 3), '1')
})
