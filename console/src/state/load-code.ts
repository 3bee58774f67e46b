import { connection } from './connection.svelte.ts'

/**
 * Loads the code of a view; while the service does not respond it is waited for. A browser remembers
 * that a module failed, so the page is loaded anew then: the view before it was left, nothing is lost.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    await connection.probe()
    if (!connection.isLost) throw error
    await connection.untilFound()
    location.reload()
    return new Promise(() => {})
  }
}
