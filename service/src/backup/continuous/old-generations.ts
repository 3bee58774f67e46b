import { listGenerations, readBase, removeGeneration } from './generation.ts'

/** Complete generations that are kept beside the one that is written, while they are not too old. */
const OLDER_GENERATIONS = 2

/** Makes room for a new generation: those that never became whole go, and the oldest of the others. */
export async function makeRoom(copy: string): Promise<void> {
  const complete: string[] = []
  for (const folder of await listGenerations(copy))
    if ((await readBase(folder)) === undefined) await removeGeneration(folder)
    else complete.push(folder)
  // The newest complete one stays until its successor is whole.
  for (const folder of complete.slice(0, -OLDER_GENERATIONS)) await removeGeneration(folder)
}

/** Removes the generations from which no moment since then is restored, but never the current one. */
export async function removeOldGenerations(
  copy: string,
  current: string,
  before: number,
): Promise<void> {
  const folders = await listGenerations(copy)
  for (const [at, folder] of folders.entries()) {
    const next = folders[at + 1]
    if (folder === current || next === undefined) continue
    // A moment is restored from the last generation that was whole by then.
    const successor = await readBase(next)
    if (successor !== undefined && successor.wholeAt < before) await removeGeneration(folder)
  }
}
