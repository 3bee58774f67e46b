import { fileURLToPath } from 'node:url'

/** The program as it is started from its sources. */
export const SOURCE_PROGRAM = fileURLToPath(new URL('../bin/plumbline.js', import.meta.url))

/** The program that tests start: `npm test` gives the same one in fewer files, which starts in less time. */
export const PROGRAM = process.env['TEST_PROGRAM'] ?? SOURCE_PROGRAM
