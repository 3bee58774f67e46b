/**
 * Makes a release into `dist`: for each processor a tarball with its own runtime, a Debian package and
 * a bill of materials; the context of the image; licences, the section of the changelog, checksums.
 *
 * `--arch x64,arm64` chooses processors, `--out FOLDER` another folder; `--quick` compresses little.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeRelease } from './release/make-release.ts'

const { values } = parseArgs({
  options: {
    arch: { type: 'string', default: 'x64,arm64' },
    out: { type: 'string', default: 'dist' },
    quick: { type: 'boolean', default: false },
  },
})
await makeRelease({
  root: fileURLToPath(new URL('..', import.meta.url)),
  out: values.out,
  architectures: values.arch.split(','),
  isQuick: values.quick,
  print: (line) => console.log(line),
})
