const turns = new WeakMap<object, Promise<unknown>>()

/** Does one piece of work after another for an owner, in the order in which it was asked for. */
export function inTurn<Result>(owner: object, work: () => Promise<Result>): Promise<Result> {
  const turn = (turns.get(owner) ?? Promise.resolve()).then(work)
  turns.set(
    owner,
    turn.catch(() => undefined),
  )
  return turn
}
