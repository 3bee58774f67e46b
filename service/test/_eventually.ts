import { setTimeout as wait } from 'node:timers/promises'

/** Repeats a check until it passes and returns its value; throws its last error after half a minute. */
export async function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  for (const end = performance.now() + 30_000; ; await wait(20)) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}
