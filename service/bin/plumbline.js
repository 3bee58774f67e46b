#!/usr/bin/env -S node --max-semi-space-size=4
// Plain JavaScript, so that an older Node can hand over to the pinned one.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { isPinned, runPinned } from './pinned-node.js'

if (isPinned()) {
  // Sources whose types were stripped once are kept: the next start takes half the time, and 30 MB
  // less memory in each thread.
  process.env.NODE_COMPILE_CACHE = module.enableCompileCache().directory
  await import('../src/main.ts')
} else {
  runPinned(fileURLToPath(import.meta.url), process.argv.slice(2))
}
