import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { format } from 'prettier'
import { writeTypes } from './write-types.ts'

const FROM_CONTRACT = /(?:import|export) type \{([^}]*)\} from '@plumbline\/contract'/g
const FROM_FILE = /from '\.\/([\w-]+)\.[jt]s'/g

/** Builds the client into `client/dist`, which is replaced. */
export async function buildClient(root: string): Promise<void> {
  const dist = join(root, 'client/dist')
  compile(root, dist)
  // The declarations of the methods are computed from the contract: they are written as text.
  rmSync(join(dist, 'clients.d.ts'))
  const declarations = filesFrom(dist, 'index.d.ts')
  writeTypes(root, dist, namesOf(dist, declarations))
  const wanted = new Set([
    ...filesFrom(dist, 'index.js'),
    ...declarations,
    'clients.d.ts',
    'contract.d.ts',
  ])
  for (const file of readdirSync(dist)) {
    if (!wanted.has(file)) rmSync(join(dist, file))
    else if (file.endsWith('.d.ts')) await finishDeclarations(join(dist, file))
  }
}

function compile(root: string, dist: string): void {
  const work = mkdtempSync(join(tmpdir(), 'plumbline-client-'))
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const args = [compiler, '-p', join(root, 'client/tsconfig.json'), '--outDir', work]
    execFileSync(process.execPath, args, { stdio: 'inherit' })
    rmSync(dist, { recursive: true, force: true })
    cpSync(join(work, 'client/src'), dist, { recursive: true })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** A file and those that it imports, where there are such. */
function filesFrom(dist: string, start: string): Set<string> {
  const ending = start.slice(start.indexOf('.'))
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file) || !existsSync(join(dist, file))) return
    found.add(file)
    for (const [, name] of read(dist, file).matchAll(FROM_FILE)) visit(`${name}${ending}`)
  }
  visit(start)
  return found
}

/** The types of the contract that declarations name. */
function namesOf(dist: string, files: Iterable<string>): string[] {
  const lists = Array.from(files, (file) => [...read(dist, file).matchAll(FROM_CONTRACT)]).flat()
  const names = lists.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()))
  return [...new Set(names)].filter((name) => name !== '').toSorted()
}

/** Lets declarations refer to files of the package alone. */
async function finishDeclarations(path: string): Promise<void> {
  const text = readFileSync(path, 'utf8')
    .replaceAll("'@plumbline/contract'", "'./contract.js'")
    .replaceAll(FROM_FILE, "from './$1.js'")
  const outside = /from '(?!\.\/)[^']*'/.exec(text)?.[0]
  if (outside !== undefined) throw new Error(`${path} needs another package: ${outside}`)
  writeFileSync(path, await format(text, { parser: 'typescript', printWidth: 100 }))
}

const read = (dist: string, file: string): string => readFileSync(join(dist, file), 'utf8')
