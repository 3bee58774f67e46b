import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What a command has printed, and the code that it ended with. */
export type Output = { code: number; stdout: string; stderr: string }

/** Runs a command to its end, whether it fails or not. */
export const runToEnd = (program: string, args: readonly string[]): Promise<Output> =>
  promisify(execFile)(program, args, { maxBuffer: 2 ** 26 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
