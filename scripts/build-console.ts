/**
 * Builds the console into `console/dist`: build-console.ts [--changed]
 *
 * With `--changed` only where it is not built, or was built from other sources.
 */
import { buildConsole } from './console/build-console.ts'

await buildConsole({ onlyChanged: process.argv.includes('--changed'), print: console.log })
