import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildProgram } from '../../scripts/release/build-program.ts'
import { needPackages } from '../../service/test/_debian.ts'

/** The top of the checkout. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version

/** A time of the commits of the tests. */
export const EPOCH_SECONDS = 1_790_000_000

/** Puts the program for this processor into a folder that does not exist. */
export async function buildHere(program: string): Promise<void> {
  await needPackages('libatomic1')
  await buildProgram({
    root: ROOT,
    program,
    version: VERSION,
    arch: process.arch,
    epochSeconds: EPOCH_SECONDS,
  })
  // As `tar` does.
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', program])
}
