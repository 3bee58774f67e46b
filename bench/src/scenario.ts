import type { LoadProcess } from './load/load.ts'

/** What a scenario works with. */
export type Bench = {
  load: LoadProcess
  /** Fewer and shorter rounds: to see that it runs, not to quote. */
  isQuick: boolean
  /** Also what needs a hundred million records. */
  isHuge: boolean
  /** Prints the progress. */
  say(line: string): void
}

export type Scenario = {
  title: string
  run(bench: Bench): Promise<Finding[]>
}

/** One line of the results. */
export type Finding = {
  what: string
  value: number
  /** Left out: a plain ratio. */
  unit?: string
  /** The least and the greatest of the rounds. */
  range?: [least: number, greatest: number]
  target?: { atLeast: number } | { atMost: number }
}

/** Whether the target is reached; undefined where there is none. */
export function isReached({ value, target }: Finding): boolean | undefined {
  if (target === undefined) return undefined
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
}
