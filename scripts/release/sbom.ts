import { createHash } from 'node:crypto'
import type { ShippedPackage } from './packages.ts'

/** A program that is shipped within a package: Node, SQLite. */
export type ShippedProgram = {
  type: 'platform' | 'library'
  name: string
  version: string
  license: string
  /** The package that brings it. */
  within: string
  /** The name by which databases of weaknesses know it. */
  cpe?: string
  sha256?: string
}

type SbomOptions = {
  version: string
  arch: string
  epochSeconds: number
  packages: readonly ShippedPackage[]
  programs: readonly ShippedProgram[]
  /** The path of the package that is the program. */
  start: string
}

/** The bill of materials of a tarball, CycloneDX 1.6; the same input gives the same document. */
export function writeSbom(options: SbomOptions): object {
  const { version, arch, epochSeconds, packages, programs, start } = options
  const foreign = packages.filter(({ integrity }) => integrity !== undefined)
  const main = `plumbline@${version}`
  const refs = new Map(
    packages.map((one) => [one.path, one.integrity === undefined ? main : purlOf(one)]),
  )
  const components = [...programs.map(describeProgram), ...foreign.map(describePackage)]
  const ownNeeds = packages
    .filter(({ integrity }) => integrity === undefined)
    .flatMap(({ needs }) => needs)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, arch, epochSeconds, components]))}`,
    version: 1,
    metadata: {
      timestamp: new Date(epochSeconds * 1000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': main,
        name: 'plumbline',
        version,
        description: 'Open, self-hosted data service for structural health monitoring',
        licenses: [{ license: { id: 'Apache-2.0' } }],
        properties: [{ name: 'plumbline:platform', value: `linux-${arch}` }],
      },
    },
    components,
    dependencies: [
      {
        ref: main,
        dependsOn: sortedRefs([
          ...ownNeeds.map((path) => refs.get(path) ?? path),
          ...programs.filter(({ within }) => within === start).map(refOfProgram),
        ]).filter((ref) => ref !== main),
      },
      ...foreign.map((one) => ({
        ref: purlOf(one),
        dependsOn: sortedRefs([
          ...one.needs.map((path) => refs.get(path) ?? path),
          ...programs.filter(({ within }) => within === one.path).map(refOfProgram),
        ]),
      })),
      ...programs.map((one) => ({ ref: refOfProgram(one), dependsOn: [] })),
    ],
  }
}

const sortedRefs = (refs: readonly string[]): string[] => [...new Set(refs)].toSorted()

const refOfProgram = ({ name, version }: ShippedProgram): string => `pkg:generic/${name}@${version}`

function describeProgram(program: ShippedProgram): object {
  const { type, name, version, license, cpe, sha256 } = program
  return {
    type,
    'bom-ref': refOfProgram(program),
    name,
    version,
    ...(sha256 === undefined ? {} : { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
    licenses: licensesOf(license),
    ...(cpe === undefined ? {} : { cpe }),
    purl: refOfProgram(program),
  }
}

function describePackage(one: ShippedPackage): object {
  const [, group, name = one.name] = /^(@[^/]+)\/(.+)$/.exec(one.name) ?? []
  return {
    type: 'library',
    'bom-ref': purlOf(one),
    ...(group === undefined ? {} : { group }),
    name,
    version: one.version,
    hashes: [{ alg: 'SHA-512', content: hexOf(one.integrity ?? '') }],
    licenses: licensesOf(one.license ?? ''),
    purl: purlOf(one),
  }
}

/** The identity of a package of npm; two copies of one version are one component each. */
function purlOf({ name, version, path }: ShippedPackage): string {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const isNested = path.indexOf('node_modules/') !== path.lastIndexOf('node_modules/')
  return isNested ? `${purl}#${path}` : purl
}

const licensesOf = (license: string): object[] =>
  license.includes(' ') ? [{ expression: license }] : [{ license: { id: license } }]

const hexOf = (integrity: string): string =>
  Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
