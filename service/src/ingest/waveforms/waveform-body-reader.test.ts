import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { WaveformBodyReader } from './waveform-body-reader.ts'

test('large bodies are read and stored one after the other, also after one that fails', async () => {
  await using reader = new WaveformBodyReader()
  const steps: string[] = []
  const take = (name: string, isRefused = false) => {
    const bytes = new Uint8Array(300_000)
    return reader.samples(bytes, { encoding: 'float32', conversion: undefined }, async () => {
      steps.push(`${name} begins`)
      await setImmediate()
      steps.push(`${name} ends`)
      if (isRefused) throw new Error(name)
    })
  }

  await Promise.allSettled([take('first'), take('broken', true), take('last')])

  const names = ['first', 'broken', 'last']
  assert.deepEqual(
    steps,
    names.flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})
