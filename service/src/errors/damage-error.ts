/** Stored bytes are not those that were written. */
export class DamageError extends Error {
  override name = 'DamageError'
}
