import type {
  Catalogue,
  CatalogueStation,
  CatalogueStructure,
} from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { FactorEntry, UserEntry } from '../../domain/site/site-entry.ts'
import type { Scope } from '../../storage/storage.ts'

/**
 * Who calls, and the site as it stands while this call is answered.
 *
 * A route first finds everything (404), then asks for permission (403).
 */
export class Caller {
  readonly userId: number
  readonly catalogue: Catalogue
  /** Structures that this call has asked for permission to, granted or not. */
  readonly asked = new Set<number>()
  readonly #granted = new Set<number>()
  #isWholeScopeUsed = false
  #scope: Scope
  #followed: Catalogue

  constructor(userId: number, catalogue: Catalogue) {
    this.userId = userId
    this.catalogue = catalogue
    this.#scope = scopeOf(userId, catalogue)
    this.#followed = catalogue
  }

  /** The structures this caller may see. */
  get scope(): Scope {
    this.#isWholeScopeUsed = true
    return this.#scope
  }

  maySee(structure: number): boolean {
    const isSeen = covers(this.#scope, [structure])
    if (isSeen) this.#granted.add(structure)
    return isSeen
  }

  /**
   * Takes over what the user has lost meanwhile; false where something of it was granted to this call.
   *
   * What the user has won meanwhile is of no use to this call.
   */
  follow(catalogue: Catalogue): boolean {
    if (catalogue === this.#followed) return true
    this.#followed = catalogue
    const before = this.#scope
    this.#scope = intersect(before, scopeOf(this.userId, catalogue))
    if (this.#isWholeScopeUsed && !covers(this.#scope, before)) return false
    return covers(this.#scope, Array.from(this.#granted))
  }

  /** A user that exists, perhaps not the one the caller acts for. */
  findUser(id: number): UserEntry {
    const user = this.catalogue.users.get(id)
    if (user === undefined) throw new RefusedError('absent', `There is no user ${id}.`)
    return user
  }

  /** A structure that exists, perhaps not the caller's to see. */
  findStructure(id: number): CatalogueStructure {
    const structure = this.catalogue.structures.get(id)
    if (structure === undefined) throw new RefusedError('absent', `There is no structure ${id}.`)
    return structure
  }

  findFactor(id: number): FactorEntry {
    const factor = this.catalogue.factors.get(id)
    if (factor === undefined) throw new RefusedError('absent', `There is no factor ${id}.`)
    return factor
  }

  findStation(id: number): CatalogueStation {
    const station = this.catalogue.stations.get(id)
    if (station === undefined) throw new RefusedError('absent', `There is no station ${id}.`)
    return station
  }

  /** Refuses a user that exists but is not the caller's own. */
  permitUser({ id }: UserEntry): void {
    if (id !== this.userId)
      throw new RefusedError('forbidden', `The application does not act for user ${id}.`)
  }

  /** Refuses what exists but belongs to a structure the caller may not see. */
  permit(structure: number, what = `Structure ${structure}`): void {
    this.asked.add(structure)
    if (!this.maySee(structure)) throw new RefusedError('forbidden', `${what} is not yours to see.`)
  }
}

const scopeOf = (userId: number, { users }: Catalogue): Scope => users.get(userId)?.structures ?? []

const covers = (scope: Scope, structures: Scope): boolean =>
  scope === 'all' || (structures !== 'all' && structures.every((id) => scope.includes(id)))

function intersect(one: Scope, other: Scope): Scope {
  if (one === 'all') return other
  return other === 'all' ? one : one.filter((id) => other.includes(id))
}
