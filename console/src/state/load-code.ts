import { connection } from './connection.svelte.ts'

/** Another page would meet the same error as one that was loaded so recently. */
const FRESH_MILLISECONDS = 10_000

/**
 * Loads the code of a view; while the service does not respond it is waited for. A browser remembers
 * that a module failed, and after an upgrade of the service a module of the page before is gone, so the
 * page is loaded anew then: the view before it was left, nothing is lost.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    await connection.probe()
    if (!connection.isLost && performance.now() < FRESH_MILLISECONDS) throw error
    await connection.untilFound()
    location.reload()
    return new Promise(() => {})
  }
}
