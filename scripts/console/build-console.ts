import { createHash } from 'node:crypto'
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const CONSOLE = join(ROOT, 'console')
const DIST = join(CONSOLE, 'dist')
const BUILT_FROM = join(DIST, 'built-from.txt')

/** What a build depends on. */
const SOURCES = [
  'console/{src,public}/**/*',
  'console/*.{html,js,ts,json}',
  'client/src/**/*.ts',
  'docs/site.schema.json',
  'package-lock.json',
]

type Options = {
  /** Not where the folder was built from the same sources. */
  onlyChanged: boolean
  print(line: string): void
}

/** Builds the console. A service that runs meanwhile sees the old folder or the new one. */
export async function buildConsole({ onlyChanged, print }: Options): Promise<void> {
  const sources = hashSources()
  if (onlyChanged && sources === readBuiltFrom()) return
  print('Building the console.')
  const outDir = `${DIST}.${process.pid}`
  try {
    const { build } = await import('vite')
    await build({
      configFile: join(CONSOLE, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir, emptyOutDir: true },
    })
    writeFileSync(join(outDir, 'built-from.txt'), sources)
    rmSync(DIST, { recursive: true, force: true })
    renameSync(outDir, DIST)
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
}

function hashSources(): string {
  const hash = createHash('sha256')
  for (const path of globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted())
    hash
      .update(`${path.slice(ROOT.length)}\0`)
      .update(readFileSync(path))
      .update('\0')
  return hash.digest('hex')
}

function readBuiltFrom(): string | undefined {
  try {
    return readFileSync(BUILT_FROM, 'utf8')
  } catch {
    return undefined
  }
}
