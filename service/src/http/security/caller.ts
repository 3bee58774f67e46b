import type {
  Catalogue,
  CatalogueStation,
  CatalogueStructure,
} from '../../domain/site/catalogue.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { FactorEntry, UserEntry } from '../../domain/site/site-entry.ts'
import type { Scope } from '../../storage/storage.ts'

type CallerAccount = { id: number; name: string }

/**
 * The user of a request and the site as it was when the request came.
 *
 * A route first finds everything (404), then checks permission (403).
 */
export class Caller {
  /** Null: an administrator who sees every structure, as no user of the site file. */
  readonly userId: number | null
  /** Who is named in what the caller changes: the user, or the account of an administrator. */
  readonly sponsor: string
  /** The user; 0 where the caller is none. */
  readonly userNumber: number
  /** Who is signed in; undefined for an application. */
  readonly account: CallerAccount | undefined
  readonly catalogue: Catalogue
  /** Structures whose permission was checked, granted or not. */
  readonly requestedStructures = new Set<number>()
  readonly #granted = new Set<number>()
  #isWholeScopeUsed = false
  #scope: Scope
  #latest: Catalogue

  constructor(userId: number | null, catalogue: Catalogue, account?: CallerAccount) {
    this.userId = userId
    this.userNumber = userId ?? 0
    this.account = account
    this.sponsor = userId === null ? (account?.name ?? '') : String(userId)
    this.catalogue = catalogue
    this.#scope = scopeOf(userId, catalogue)
    this.#latest = catalogue
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
   * Withdraws the structures that the user may not see in a newer catalogue; false when one of them
   * was granted before. Structures that were added are not granted.
   */
  follow(catalogue: Catalogue): boolean {
    if (catalogue === this.#latest) return true
    this.#latest = catalogue
    const before = this.#scope
    this.#scope = intersect(before, scopeOf(this.userId, catalogue))
    if (this.#isWholeScopeUsed && !covers(this.#scope, before)) return false
    return covers(this.#scope, Array.from(this.#granted))
  }

  /** Any user; throws 404 without one. */
  findUser(id: number): UserEntry {
    const user = this.catalogue.users.get(id)
    if (user === undefined) throw new RefusedError('absent', `There is no user ${id}.`)
    return user
  }

  /** Any structure, also one that the caller may not see; throws 404 without one. */
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

  /** Throws 403 for a user who is not the caller; who sees every structure may name any user. */
  permitUser({ id }: UserEntry): void {
    if (this.userId !== null && id !== this.userId)
      throw new RefusedError('forbidden', `The application does not act for user ${id}.`)
  }

  /** Throws 403 for a structure that the caller may not see; `what` names what belongs to it. */
  permit(structure: number, what = `structure ${structure}`): void {
    this.requestedStructures.add(structure)
    if (!this.maySee(structure))
      throw new RefusedError('forbidden', `You do not have access to ${what}.`)
  }
}

const scopeOf = (userId: number | null, { users }: Catalogue): Scope =>
  userId === null ? 'all' : (users.get(userId)?.structures ?? [])

const covers = (scope: Scope, structures: Scope): boolean =>
  scope === 'all' || (structures !== 'all' && structures.every((id) => scope.includes(id)))

function intersect(one: Scope, other: Scope): Scope {
  if (one === 'all') return other
  return other === 'all' ? one : one.filter((id) => other.includes(id))
}
