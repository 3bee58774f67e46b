#!/usr/bin/env node
// Plain JavaScript, so that an older Node than the pinned one can say what is missing.
const WANTED = 26

if (Number(process.versions.node.split('.')[0]) >= WANTED) {
  await import('../src/main.ts')
} else {
  process.stderr.write(
    `Plumbline runs on Node ${WANTED}, this is Node ${process.versions.node}: start it with "npx plumbline" or "npm start" after "npm ci", which brings the right one.\n`,
  )
  process.exitCode = 1
}
