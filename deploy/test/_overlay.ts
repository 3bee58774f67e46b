import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** A root that is the one of a Debian until something is written, and then differs from it. */
export function mountOverlay(folder: string, lower: string): Disposable & { root: string } {
  const [root, upper, work] = ['root', 'upper', 'work'].map((name) => join(folder, name))
  for (const one of [root, upper, work]) mkdirSync(one!, { recursive: true })
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', options, root!])
  return {
    root: root!,
    [Symbol.dispose]: () => void execFileSync('umount', ['--lazy', root!]),
  }
}
