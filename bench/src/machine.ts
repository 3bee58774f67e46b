import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'

/** Where and when figures were taken. */
export type Circumstances = {
  date: string
  cpu: string
  cores: number
  node: string
  commit: string
  /** How many processes wanted to run, over the last minute, before the first scenario. */
  load: number
}

export const readCircumstances = (): Circumstances => ({
  date: new Date().toISOString().slice(0, 16).replace('T', ' '),
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  node: process.version,
  commit: readCommit(),
  load: currentLoad(),
})

export const currentLoad = (): number => loadavg()[0] ?? 0

const git = (...parameters: string[]): string =>
  execFileSync('git', parameters, { encoding: 'utf8', cwd: import.meta.dirname }).trim()

function readCommit(): string {
  try {
    const isChanged = git('status', '--porcelain', '--', '../../service', '../../contract') !== ''
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : '')
  } catch {
    return 'unknown'
  }
}
