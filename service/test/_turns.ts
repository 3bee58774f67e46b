/** How many turns others have on this thread while some work is done. */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    if (isOver) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  try {
    await work()
  } finally {
    isOver = true
  }
  return turns
}
