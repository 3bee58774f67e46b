#!/usr/bin/env -S node --max-semi-space-size=4
// Plain JavaScript, so that an older Node can hand over to the pinned one.
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endWithLauncher, isPinned, runPinned } from './pinned-node.js'

if (isPinned()) {
  endWithLauncher()
  // Sources whose types were stripped once are kept: the next start takes half the time, and 30 MB
  // less memory in each thread. In the user's own folder, since it holds code that is run.
  const { directory } = module.enableCompileCache(join(homedir(), '.cache', 'plumbline'))
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory
  await import('../src/main.ts')
} else {
  runPinned(fileURLToPath(import.meta.url), process.argv.slice(2))
}
