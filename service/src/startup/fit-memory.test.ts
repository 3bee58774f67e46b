import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveConfig } from '../config/config.ts'
import { describeHeap, fitMemory, memoryLimit } from './fit-memory.ts'

const GIGABYTE = 2 ** 30
const UNLIMITED = 2 ** 44

const megabytes = (count: number): number => count * 2 ** 20

const configWith = (settings: Record<string, number>) =>
  resolveConfig({ flags: settings, environment: {} })

test('the memory is that of the setting, or of the control group, whichever is less', () => {
  assert.deepEqual(
    [
      memoryLimit(0, UNLIMITED),
      memoryLimit(0, GIGABYTE),
      memoryLimit(512, UNLIMITED),
      memoryLimit(2048, GIGABYTE),
      memoryLimit(512, GIGABYTE),
    ],
    [undefined, 1024, 512, 1024, 512],
  )
})

test('without a limit all settings stay', () => {
  const config = configWith({})

  assert.deepEqual(fitMemory(config, UNLIMITED), { config, lowered: [] })
})

test('a small memory lowers what would not fit, names it, and leaves what is smaller', () => {
  const config = configWith({ 'memory.megabytes': 512, 'vibration.cacheMegabytes': 8 })

  const { config: fitted, lowered } = fitMemory(config, UNLIMITED)

  assert.equal(fitted['vibration.cacheMegabytes'], 8)
  assert.equal(fitted['storage.openDayCacheMegabytes'], 32)
  assert.equal(fitted['http.bodyBudgetMegabytes'], 16)
  assert.equal(fitted['vibration.maxAnalysisSamples'], 223_696)
  assert.ok(
    lowered.includes(
      'storage.openDayCacheMegabytes is 32 instead of 64, because the service has 512 MB of memory.',
    ),
  )
  assert.equal(lowered.length, 5)
})

test('a heap that leaves too little to the rest is said, with how to bound it', () => {
  assert.equal(describeHeap(512, megabytes(172), UNLIMITED), undefined)
  assert.equal(describeHeap(0, 4 * GIGABYTE, UNLIMITED), undefined)
  assert.equal(describeHeap(2048, megabytes(1036), UNLIMITED), undefined)
  assert.equal(
    describeHeap(512, megabytes(268), UNLIMITED),
    'The heap of Node may grow to 268 of 512 MB of memory: start the service with NODE_OPTIONS=--max-old-space-size=160 and MALLOC_ARENA_MAX=2 in its environment.',
  )
})
