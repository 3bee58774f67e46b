import { setTimeout as wait } from 'node:timers/promises'

/** What a check gives once it passes; its last error when it does not within half a minute. */
export async function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  for (const end = performance.now() + 30_000; ; await wait(20)) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}
