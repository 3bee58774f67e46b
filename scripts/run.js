// Runs one of the project's programs on the pinned Node: node scripts/run.js FILE [ARGUMENT ...]
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { endWithLauncher, isPinned, runPinned } from '../service/bin/pinned-node.js'

const [file, ...args] = process.argv.slice(2)
if (isPinned()) {
  endWithLauncher()
  process.argv.splice(1, 2, resolve(file))
  await import(pathToFileURL(resolve(file)))
} else {
  runPinned(resolve(file), args)
}
