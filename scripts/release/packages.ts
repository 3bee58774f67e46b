/** A package of npm as `package-lock.json` has it. */
export type LockedPackage = {
  version?: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export type Lock = { packages: Record<string, LockedPackage> }

/** A package that is shipped. */
export type ShippedPackage = {
  /** Where it lies in the checkout: `node_modules/pg`, or `contract` for one of our own. */
  path: string
  name: string
  version: string
  /** An SPDX expression; undefined where the package names none. */
  license: string | undefined
  /** `sha512-…`; undefined for those of our own. */
  integrity: string | undefined
  /** The paths of the packages that it needs. */
  needs: string[]
}

/** Types of other languages of the editor: nothing reads them while the program runs. */
const isTypes = (name: string): boolean => name.startsWith('@types/')

const MODULES = 'node_modules/'

/** All packages that one of the checkout needs to run, itself included, by their paths. */
export function findShipped(lock: Lock, start: string): ShippedPackage[] {
  const found = new Map<string, ShippedPackage>()
  const visit = (path: string): void => {
    if (found.has(path)) return
    const locked = getLocked(lock, path)
    const needs = neededNames(locked).flatMap(({ name, isOptional }) => {
      const target = findPackage(lock, path, name)
      if (target === undefined && !isOptional)
        throw new Error(`package-lock.json has no package "${name}", which ${path} needs.`)
      return target === undefined ? [] : [target]
    })
    found.set(path, {
      path,
      name: nameOf(path, locked),
      version: locked.version ?? '0.0.0',
      license: locked.license,
      integrity: locked.integrity,
      needs,
    })
    for (const target of needs) visit(target)
  }
  visit(start)
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** All packages of several ones of the checkout, each once. */
export const findAllShipped = (lock: Lock, starts: readonly string[]): ShippedPackage[] => {
  const found = starts.flatMap((start) => findShipped(lock, start))
  return [...new Map(found.map((one) => [one.path, one])).values()]
}

export function getLocked(lock: Lock, path: string): LockedPackage {
  const locked = lock.packages[path]
  if (locked === undefined) throw new Error(`package-lock.json has no entry "${path}".`)
  return locked
}

function neededNames(locked: LockedPackage): { name: string; isOptional: boolean }[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = locked
  const isOptionalPeer = (name: string) => locked.peerDependenciesMeta?.[name]?.optional === true
  return [
    ...Object.keys(dependencies).map((name) => ({ name, isOptional: false })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })),
    ...Object.keys(peerDependencies)
      .filter((name) => !isOptionalPeer(name))
      .map((name) => ({ name, isOptional: true })),
  ].filter(({ name }) => !isTypes(name))
}

/** Where Node finds a package that the one at a path imports; links lead to our own. */
function findPackage(lock: Lock, from: string, name: string): string | undefined {
  for (let folder: string | undefined = from; folder !== undefined; folder = parentOf(folder)) {
    const path = `${folder === '' ? '' : `${folder}/`}${MODULES}${name}`
    const locked = lock.packages[path]
    if (locked !== undefined) return locked.link === true ? locked.resolved : path
  }
  return undefined
}

/** The package around a package: that of `a/node_modules/b` is `a`, and that of `a` the checkout. */
function parentOf(path: string): string | undefined {
  if (path === '') return undefined
  const at = path.lastIndexOf(MODULES)
  return at <= 0 ? '' : path.slice(0, at - 1)
}

function nameOf(path: string, locked: LockedPackage): string {
  const named = (locked as { name?: string }).name
  return named ?? path.slice(path.lastIndexOf(MODULES) + MODULES.length)
}
