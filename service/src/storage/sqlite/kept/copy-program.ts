/** Copies a database file: copy-program.ts clone|copy FROM TO. A clone fails where the disk shares no blocks. */
import {
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  statSync,
} from 'node:fs'

const [way, from = '', to = ''] = process.argv.slice(2)
copyFileSync(from, to, way === 'clone' ? constants.COPYFILE_FICLONE_FORCE : 0)
const { uid, gid } = statSync(from)
// A command of root migrates for the user of the service.
if (process.getuid?.() === 0) chownSync(to, uid, gid)
const descriptor = openSync(to, 'r+')
fsyncSync(descriptor)
closeSync(descriptor)
