// Own process: it counts the threads.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority, platform } from 'node:os'
import { test } from 'node:test'
import { Analyser, type ReadableWaveform } from './analyser.ts'

const LONG = 20_000

const zeros: ReadableWaveform = {
  length: LONG,
  sampleHz: 100,
  read: async () => new Float64Array(LONG),
}

/** The 19th field of each thread's stat: proc(5). */
const nicesOfThreads = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })

test('each thread of long tasks has a lower priority than the main thread', async () => {
  const before = getPriority()

  for (const name of ['one', 'other']) await new Analyser(name).analyse('amplitude', zeros, {})

  assert.equal(getPriority(), before)
  if (platform() === 'linux')
    assert.equal(nicesOfThreads().filter((nice) => nice > before).length, 2)
})
