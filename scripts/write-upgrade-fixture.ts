/**
 * Writes the fixture of a version of the database: the data folder that its program fills, and how that
 * program answers. The argument is the folder of a checkout in which `npm ci` has run; without one the
 * program of this checkout.
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fillBy } from '../service/test/upgrades/_fill.ts'
import { writeFixture } from '../service/test/upgrades/_fixture.ts'

const checkout = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
const { fixture, database } = await fillBy(checkout)
await writeFixture(fixture, database)
console.log(`version ${fixture.version}: ${fixture.answers.length} answers`)
