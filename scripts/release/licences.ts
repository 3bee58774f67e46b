import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What is listed: a package or a program. */
export type Licensed = {
  name: string
  version: string
  license: string | undefined
  /** The folder that has its texts; undefined where the package around it has them. */
  folder: string | undefined
}

/**
 * SPDX expressions under which what we ship may be passed on with their texts: the exception of GCC is for
 * its run-time library, which also needs a word on where its source is.
 */
export const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'blessing',
  'GPL-3.0-or-later WITH GCC-exception-3.1',
  'ISC',
  'MIT',
  'MIT-0',
  '(MIT OR CC0-1.0)',
])

/** A sentence for each package whose licence is not on the list. */
export const findForbidden = (packages: readonly Licensed[]): string[] =>
  packages
    .filter(({ license }) => license === undefined || !ALLOWED_LICENCES.has(license))
    .map(
      ({ name, version, license = 'none' }) =>
        `${name} ${version} has the licence "${license}", which is not on the list of scripts/release/licences.ts.`,
    )

const TEXT_FILE = /^(licen[cs]es?|copying|notice|unlicense)([._-].*)?$/i

/** The list of all licences, then the texts that the packages come with. */
export function formatLicences(packages: readonly Licensed[]): string {
  const list = packages.map(
    ({ name, version, license = 'none' }) => `${name} ${version}: ${license}`,
  )
  const texts = packages.flatMap(({ name, version, folder }) =>
    textFilesIn(folder).map((file) => {
      const text = readFileSync(file, 'utf8').trim()
      return `${'='.repeat(80)}\n${name} ${version}: ${basename(file)}\n${'='.repeat(80)}\n\n${text}\n`
    }),
  )
  return `Plumbline has the licence Apache-2.0, see the file LICENSE. It comes with these packages, each with a
licence of its own. The texts that they come with follow.

${list.join('\n')}

${texts.join('\n')}`
}

const textFilesIn = (folder: string | undefined): string[] =>
  folder === undefined
    ? []
    : readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && TEXT_FILE.test(entry.name))
        .map(({ name }) => join(folder, name))
        .toSorted()
