import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { ShippedLibrary } from './atomic-library.ts'
import { getLocked, type Lock } from './packages.ts'
import type { ShippedProgram } from './sbom.ts'
import { sha256Of } from './sha256.ts'

/** The package that is the program. */
export const PROGRAM = 'service'

/** The package whose build has its dependencies in itself. */
export const CONSOLE = 'console'

/** The package that brings SQLite. */
const BETTER_SQLITE = 'node_modules/better-sqlite3'

/** What is shipped and is no package of npm, with the folder of its licence. */
export function shippedPrograms({
  lock,
  nodeFolder,
  nodePackage,
  library,
}: {
  lock: Lock
  nodeFolder: string
  nodePackage: string
  library: ShippedLibrary
}): { program: ShippedProgram; folder: string | undefined }[] {
  const { version: node = '' } = getLocked(lock, `node_modules/${nodePackage}`)
  const sqlite = sqliteVersion()
  return [
    {
      folder: nodeFolder,
      program: {
        type: 'platform',
        name: 'node',
        version: node,
        license: 'MIT',
        within: PROGRAM,
        cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:-:*:*:*`,
        sha256: sha256Of(join(nodeFolder, 'bin/node')),
      },
    },
    {
      folder: library.folder,
      program: {
        type: 'library',
        name: 'libatomic',
        version: library.version,
        license: 'GPL-3.0-or-later WITH GCC-exception-3.1',
        within: PROGRAM,
        sha256: sha256Of(join(library.folder, 'libatomic.so.1')),
      },
    },
    {
      folder: undefined,
      program: {
        type: 'library',
        name: 'sqlite',
        version: sqlite,
        license: 'blessing',
        within: BETTER_SQLITE,
        cpe: `cpe:2.3:a:sqlite:sqlite:${sqlite}:*:*:*:*:*:*:*`,
      },
    },
  ]
}

function sqliteVersion(): string {
  const database = new Sqlite(':memory:')
  try {
    return String(database.prepare('select sqlite_version()').pluck().get())
  } finally {
    database.close()
  }
}
