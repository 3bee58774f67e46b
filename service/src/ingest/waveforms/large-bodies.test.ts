import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { whenLargeMay } from './large-bodies.ts'

test('large bodies are taken up one after the other, also after one that is refused', async () => {
  const steps: string[] = []
  const take = (name: string, isRefused = false) =>
    whenLargeMay(async () => {
      steps.push(`${name} begins`)
      await setImmediate()
      steps.push(`${name} ends`)
      if (isRefused) throw new Error(name)
    })

  await Promise.allSettled([take('first'), take('broken', true), take('last')])

  const names = ['first', 'broken', 'last']
  assert.deepEqual(
    steps,
    names.flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})
