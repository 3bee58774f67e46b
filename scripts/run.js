// Runs one of the project's programs on the pinned Node: node scripts/run.js FILE [ARGUMENT ...]
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { endWithLauncher, isPinned, runPinned } from '../service/bin/pinned-node.js'

const [file] = process.argv.slice(2)
if (isPinned()) {
  endWithLauncher()
  process.argv.splice(1, 2, resolve(file))
  await import(pathToFileURL(resolve(file)))
} else {
  // Itself, so that the program's own children are not taken for launched ones.
  runPinned(fileURLToPath(import.meta.url), process.argv.slice(2))
}
