#!/usr/bin/env -S node --max-semi-space-size=4
// Plain JavaScript, so that an older Node than the pinned one can say what is missing.
import { enableCompileCache } from 'node:module'

const WANTED = 26

if (Number(process.versions.node.split('.')[0]) >= WANTED) {
  // Sources whose types were stripped once are kept: the next start takes half the time, and 30 MB
  // less memory in each thread.
  const { directory } = enableCompileCache()
  process.env.NODE_COMPILE_CACHE = directory
  await import('../src/main.ts')
} else {
  process.stderr.write(
    `Plumbline runs on Node ${WANTED}, this is Node ${process.versions.node}: start it with "npx plumbline" or "npm start" after "npm ci", which brings the right one.\n`,
  )
  process.exitCode = 1
}
