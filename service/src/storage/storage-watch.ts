import type { StorageState, Storage } from './storage.ts'

const LOOK_MILLISECONDS = 1_000

type Log = { error(text: string): void; info(text: string): void }

/** Looks at the database each second, and logs what keeps it from being read or written, once. */
export function watchStorage(
  { state }: Pick<Storage, 'state'>,
  log: Log,
  everyMilliseconds: number = LOOK_MILLISECONDS,
): AsyncDisposable {
  let said: string | undefined
  const tell = (): void => {
    const problem = problemOf(state)
    if (problem === said) return
    if (problem === undefined) log.info('The database can be read and written again.')
    else log.error(problem)
    said = problem
  }
  tell()
  const timer = setInterval(tell, everyMilliseconds).unref()
  return { [Symbol.asyncDispose]: async () => clearInterval(timer) }
}

function problemOf(look: () => StorageState): string | undefined {
  try {
    const { reading, writing } = look()
    return (reading ?? writing)?.message
  } catch (error) {
    return `The database cannot be read: ${(error as Error).message}`
  }
}
