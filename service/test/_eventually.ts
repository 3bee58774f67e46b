import { setTimeout as wait } from 'node:timers/promises'

/** Repeats a check until it passes and returns its value; throws its last error when the time is over. */
export async function eventually<Value>(
  check: () => Value | Promise<Value>,
  milliseconds = 90_000,
): Promise<Value> {
  for (const end = performance.now() + milliseconds; ; await wait(20)) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}
