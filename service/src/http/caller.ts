import type { Catalogue, CatalogueStation, CatalogueStructure } from '../domain/catalogue.ts'
import { RefusedError } from '../domain/refused-error.ts'
import type { FactorEntry, UserEntry } from '../domain/site-entry.ts'
import type { Scope } from '../storage/storage.ts'

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

  constructor(userId: number, catalogue: Catalogue) {
    this.userId = userId
    this.catalogue = catalogue
  }

  /** The structures this caller may see. */
  get scope(): Scope {
    return this.catalogue.users.get(this.userId)?.structures ?? []
  }

  maySee(structure: number): boolean {
    return this.catalogue.maySee(this.userId, structure)
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
